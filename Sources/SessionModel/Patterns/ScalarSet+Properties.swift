// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The properties of `\p{…}`.
extension ScalarSet {
    /// Returns a property by its name: a general category, such as `L`, `Letter` or `gc=L`, or one of a few binary
    /// properties; `nil` if it is not known.
    static func property(_ name: String) -> (@Sendable (Unicode.Scalar) -> Bool)? {
        let parts = name.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { return ["gc", "General_Category"].contains(parts[0]) ? category(String(parts[1])) : nil }
        return binary(name) ?? category(name)
    }

    private static func binary(_ name: String) -> (@Sendable (Unicode.Scalar) -> Bool)? {
        switch name {
        case "Any": { _ in true }
        case "ASCII": { $0.isASCII }
        case "Alphabetic", "Alpha": { $0.properties.isAlphabetic }
        case "Lowercase", "Lower": { $0.properties.isLowercase }
        case "Uppercase", "Upper": { $0.properties.isUppercase }
        case "White_Space", "space": { $0.properties.isWhitespace }
        default: nil
        }
    }

    private static func category(_ name: String) -> (@Sendable (Unicode.Scalar) -> Bool)? {
        let entries = categories.filter { entry in
            entry.short == name || entry.long == name || groups[name].map(entry.short.hasPrefix) ?? false
                || (name == "LC" || name == "Cased_Letter") && ["Lu", "Ll", "Lt"].contains(entry.short)
        }
        guard !entries.isEmpty else { return nil }
        let known = Set(entries.map(\.category))
        return { known.contains($0.properties.generalCategory) }
    }

    /// The first letters of the categories of a group.
    private static let groups: [String: String] = [
        "L": "L", "Letter": "L", "M": "M", "Mark": "M", "N": "N", "Number": "N", "P": "P", "Punctuation": "P",
        "S": "S", "Symbol": "S", "Z": "Z", "Separator": "Z", "C": "C", "Other": "C",
    ]

    private static let categories: [(short: String, long: String, category: Unicode.GeneralCategory)] = [
        ("Lu", "Uppercase_Letter", .uppercaseLetter), ("Ll", "Lowercase_Letter", .lowercaseLetter),
        ("Lt", "Titlecase_Letter", .titlecaseLetter), ("Lm", "Modifier_Letter", .modifierLetter),
        ("Lo", "Other_Letter", .otherLetter), ("Mn", "Nonspacing_Mark", .nonspacingMark),
        ("Mc", "Spacing_Mark", .spacingMark), ("Me", "Enclosing_Mark", .enclosingMark),
        ("Nd", "Decimal_Number", .decimalNumber), ("Nl", "Letter_Number", .letterNumber),
        ("No", "Other_Number", .otherNumber), ("Pc", "Connector_Punctuation", .connectorPunctuation),
        ("Pd", "Dash_Punctuation", .dashPunctuation), ("Ps", "Open_Punctuation", .openPunctuation),
        ("Pe", "Close_Punctuation", .closePunctuation), ("Pi", "Initial_Punctuation", .initialPunctuation),
        ("Pf", "Final_Punctuation", .finalPunctuation), ("Po", "Other_Punctuation", .otherPunctuation),
        ("Sm", "Math_Symbol", .mathSymbol), ("Sc", "Currency_Symbol", .currencySymbol),
        ("Sk", "Modifier_Symbol", .modifierSymbol), ("So", "Other_Symbol", .otherSymbol),
        ("Zs", "Space_Separator", .spaceSeparator), ("Zl", "Line_Separator", .lineSeparator),
        ("Zp", "Paragraph_Separator", .paragraphSeparator), ("Cc", "Control", .control), ("Cf", "Format", .format),
        ("Cs", "Surrogate", .surrogate), ("Co", "Private_Use", .privateUse), ("Cn", "Unassigned", .unassigned),
    ]
}
