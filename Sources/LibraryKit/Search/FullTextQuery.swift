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
    /// The facet that all pictures with it, and no others, meet the search; `nil` if there is none.
    let single: Int64?
    /// Facets that each picture has that meets the search.
    let required: [Int64]

    /// - Parameter facets: Finds the facets of the index.
    init(_ query: LibraryQuery, _ facets: some FacetFinding) throws {
        let (terms, excluded) = Self.withoutComplements(query)
        let found = try terms.map { try Part($0, facets) }
        let others = try excluded.map { try Part($0, facets) }.filter { !$0.alternatives.isEmpty }
        var parts = found
        // NOT needs a left side, and each picture has a kind.
        if parts.isEmpty, !others.isEmpty {
            parts = [try Part(.any(ItemFacts.Kind.allCases.map { Facet(.kind, $0.word) }), facets)]
        }
        findsNothing = parts.contains { $0.alternatives.isEmpty } || Self.isContradictory(terms)
        required = parts.compactMap(\.single)
        single = others.isEmpty && parts.count == 1 ? required.first : nil
        let all = parts.map(\.expression).joined(separator: " AND ")
        let none = others.map(\.expression).joined(separator: " OR ")
        expression = parts.isEmpty ? nil : others.isEmpty ? all : "(\(all)) NOT (\(none))"
    }

    /// Returns the terms and the excluded terms of a search. Pictures without one kind or number of stars are those with
    /// another: a search that excludes nearly all pictures would read the row of each.
    private static func withoutComplements(
        _ query: LibraryQuery
    ) -> (terms: [LibraryQuery.Term], excluded: [LibraryQuery.Term]) {
        var (terms, excluded) = (query.terms, [LibraryQuery.Term]())
        for term in query.excluded {
            switch term {
            case .stars(let range):
                terms.append(.any((0...5).filter { !range.contains($0) }.map { Facet(.stars, "\($0)") }))
            case .facet(let facet) where facet.kind == .kind:
                terms.append(.any(ItemFacts.Kind.allCases.map { Facet(.kind, $0.word) }.filter { $0 != facet }))
            default: excluded.append(term)
            }
        }
        return (terms, excluded)
    }

    /// `true` if two terms ask for different values of a property that a picture has once, such as its camera. The index
    /// would compare the lists of all pictures with each.
    private static func isContradictory(_ terms: [LibraryQuery.Term]) -> Bool {
        var values: [Facet.Kind: Set<String>] = [:]
        for facets in terms.map(\.facets) {
            guard let kind = facets.first?.kind, kind.isSingle, facets.allSatisfy({ $0.kind == kind }) else { continue }
            let these = Set(facets.map(\.value))
            values[kind] = values[kind]?.intersection(these) ?? these
        }
        return values.values.contains(where: \.isEmpty)
    }

    /// A term of a search: at least one of the alternatives matches.
    private struct Part {
        /// Expressions; none if no picture can match.
        let alternatives: [String]
        /// The facet that is the only alternative.
        let single: Int64?

        var expression: String { "(" + alternatives.joined(separator: " OR ") + ")" }

        init(_ term: LibraryQuery.Term, _ facets: some FacetFinding) throws {
            let (text, numbers) = try Self.parts(of: term, facets)
            single = text == nil && numbers.count == 1 ? numbers[0] : nil
            alternatives =
                [text.map { "text : \($0)" }].compactMap { $0 }
                + numbers.map { "facets : \(FullTextQuery.quoted(FacetToken.text($0)))" }
        }

        private static func parts(
            of term: LibraryQuery.Term, _ facets: some FacetFinding
        ) throws -> (text: String?, numbers: [Int64]) {
            switch term {
            case .word(let text, let isPrefix):
                try words(FullTextQuery.quoted(text) + (isPrefix ? " *" : ""), text, facets)
            case .phrase(let text): try words(FullTextQuery.quoted(text), text, facets)
            case .facet, .any, .stars: (nil, try term.facets.compactMap(facets.number))
            }
        }

        /// Returns words as an expression, if a picture has them in its text, and the facets with these words.
        private static func words(
            _ expression: String, _ text: String, _ facets: some FacetFinding
        ) throws -> (text: String?, numbers: [Int64]) {
            guard FullTextQuery.hasToken(text) else { return (nil, []) }
            return (try facets.hasText(expression) ? expression : nil, try facets.numbers(named: expression))
        }
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

extension LibraryQuery.Term {
    /// The facets of which a picture has one; none for words.
    fileprivate var facets: [Facet] {
        switch self {
        case .word, .phrase: []
        case .facet(let facet): [facet]
        case .any(let facets): facets
        case .stars(let range): range.map { Facet(.stars, "\($0)") }
        }
    }
}

/// Finds the facets and words that an index has.
protocol FacetFinding {
    /// Returns the number of a facet; `nil` if no picture ever had it.
    func number(of facet: Facet) throws -> Int64?
    /// Returns the facets that have the words of an expression in their values.
    func numbers(named expression: String) throws -> [Int64]
    /// Returns `true` if the text of a picture has the words of an expression.
    func hasText(_ expression: String) throws -> Bool
}

/// The facets and words of a database.
struct IndexFacets: FacetFinding {
    let database: Database

    func number(of facet: Facet) throws -> Int64? {
        let find = try database.cachedStatement(sql: "SELECT id FROM facet WHERE kind = ? AND value = ?")
        return try Int64.fetchOne(find, arguments: [facet.kind.rawValue, facet.value])
    }

    func numbers(named expression: String) throws -> [Int64] {
        let find = try database.cachedStatement(
            sql: "SELECT rowid FROM facet_words WHERE facet_words MATCH ? ORDER BY rowid")
        return try Int64.fetchAll(find, arguments: [expression])
    }

    func hasText(_ expression: String) throws -> Bool {
        let find = try database.cachedStatement(sql: "SELECT 1 FROM words WHERE words MATCH ? LIMIT 1")
        return try Row.fetchOne(find, arguments: ["text : \(expression)"]) != nil
    }
}
#endif
