// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
internal import GRDB

/// The expression of a search for SQLite's full-text index (FTS5).
///
/// Each text of a user is a quoted string, in which only the quotation mark is special. So it is never an operator.
struct FullTextQuery {
    /// The expression; `nil` if terms do not limit the pictures.
    let expression: String?
    /// `true` if no picture can be found, such as of an unknown series.
    let findsNothing: Bool

    /// - Parameter number: Returns the number of a facet; `nil` if no picture ever had it.
    init(_ query: LibraryQuery, number: (Facet) throws -> Int64?) rethrows {
        var (parts, isImpossible) = ([String](), false)
        for term in query.terms {
            if let part = try Self.expression(of: term, number) { parts.append(part) } else { isImpossible = true }
        }
        let others = try query.excluded.compactMap { try Self.expression(of: $0, number) }
        guard !parts.isEmpty || !others.isEmpty else {
            (expression, findsNothing) = (nil, isImpossible)
            return
        }
        // NOT needs a left side, and each picture has a kind.
        if parts.isEmpty {
            parts = [try Self.any(ItemFacts.Kind.allCases.map { Facet(.kind, $0.word) }, number)].compactMap { $0 }
        }
        // No picture has a kind in an empty index.
        findsNothing = isImpossible || parts.isEmpty
        let all = parts.joined(separator: " AND ")
        expression = others.isEmpty ? all : "(\(all)) NOT (\(others.joined(separator: " OR ")))"
    }

    /// Returns the expression of a term; `nil` if it matches no picture.
    private static func expression(of term: LibraryQuery.Term, _ number: (Facet) throws -> Int64?) rethrows -> String? {
        switch term {
        case .word(let text, let isPrefix): hasToken(text) ? "text : \(quoted(text))\(isPrefix ? " *" : "")" : nil
        case .phrase(let text): hasToken(text) ? "text : \(quoted(text))" : nil
        case .facet(let facet): try any([facet], number)
        case .any(let facets): try any(facets, number)
        case .stars(let range): try any(range.map { Facet(.stars, "\($0)") }, number)
        }
    }

    private static func any(_ facets: [Facet], _ number: (Facet) throws -> Int64?) rethrows -> String? {
        let known = try facets.compactMap { try number($0) }
        guard !known.isEmpty else { return nil }
        return "(" + known.map { "facets : \(quoted(FacetToken.text($0)))" }.joined(separator: " OR ") + ")"
    }

    private static func quoted(_ text: String) -> String {
        // SQLite reads a text up to its first NUL.
        "\"" + text.replacing("\"", with: "\"\"").replacing("\0", with: " ") + "\""
    }

    /// `true` if the tokenizer finds a word in a text: letters, digits or private characters (`unicode61`).
    private static func hasToken(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                .letterNumber, .otherNumber, .privateUse:
                true
            default: false
            }
        }
    }
}
#endif
