// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A set of Unicode scalars: a character, a class such as `[a-z]`, an escape such as `\d`, or any (`.`).
struct ScalarSet: Sendable {
    /// A part of a set.
    enum Item: Sendable {
        case range(ClosedRange<Unicode.Scalar>)
        /// The scalars with a property, or those without it.
        case property(@Sendable (Unicode.Scalar) -> Bool, isNegated: Bool)

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .range(let range): range.contains(scalar)
            case .property(let has, let isNegated): has(scalar) != isNegated
            }
        }
    }

    private let items: [Item]
    private let isNegated: Bool
    private let ignoresCase: Bool

    init(_ items: [Item], isNegated: Bool = false, ignoresCase: Bool) {
        (self.items, self.isNegated, self.ignoresCase) = (items, isNegated, ignoresCase)
    }

    /// Returns `true` if the set has the scalar.
    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let isListed = items.contains { $0.contains(scalar) }
        if isListed || !ignoresCase { return isListed != isNegated }
        return scalar.otherCases.contains { other in items.contains { $0.contains(other) } } != isNegated
    }
}

extension ScalarSet {
    /// `.`: all but the ends of lines.
    static func any(ignoresCase: Bool) -> ScalarSet {
        ScalarSet([.property(isLineEnd, isNegated: true)], ignoresCase: ignoresCase)
    }

    /// Returns the set of an escape letter: `\d`, `\w`, `\s` and their opposites; `nil` if it is none.
    static func item(escape letter: Unicode.Scalar) -> Item? {
        switch letter {
        case "d": .property(isDigit, isNegated: false)
        case "D": .property(isDigit, isNegated: true)
        case "w": .property(isWord, isNegated: false)
        case "W": .property(isWord, isNegated: true)
        case "s": .property(isSpace, isNegated: false)
        case "S": .property(isSpace, isNegated: true)
        default: nil
        }
    }

    /// An ASCII digit.
    @Sendable static func isDigit(_ scalar: Unicode.Scalar) -> Bool { "0"..."9" ~= scalar }

    /// A letter or a digit of ASCII, or `_`.
    @Sendable static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        "a"..."z" ~= scalar || "A"..."Z" ~= scalar || isDigit(scalar) || scalar == "_"
    }

    @Sendable private static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\n", "\r", "\u{2028}", "\u{2029}": true
        default: false
        }
    }

    /// ECMA-262's white space and line ends.
    @Sendable private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\u{b}", "\u{c}", "\u{feff}": true
        default: isLineEnd(scalar) || scalar.properties.generalCategory == .spaceSeparator
        }
    }
}

extension Unicode.Scalar {
    /// The scalars that differ from this one only in case. Mappings to several scalars (`ß` to `SS`) are none.
    fileprivate var otherCases: [Unicode.Scalar] {
        let lower = Self.single(properties.lowercaseMapping)
        let upper = Self.single(properties.uppercaseMapping)
        return [lower, upper, upper.flatMap { Self.single($0.properties.lowercaseMapping) }].compactMap(\.self)
    }

    private static func single(_ mapping: String) -> Unicode.Scalar? {
        let scalars = mapping.unicodeScalars
        return scalars.count == 1 ? scalars.first : nil
    }
}
