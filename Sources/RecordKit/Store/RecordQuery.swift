// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A question for records.
package struct RecordQuery: Sendable, Hashable {
    /// The ID of the kind; `nil` for all kinds.
    package var kind: String?
    /// Words that all occur in the values of a record, each as the beginning of a word; empty for all records.
    package var words = ""
    /// `true` for the records in the trash, `false` for all others.
    package var isTrashed = false
    /// `true` if the words are also compared with personal values, which no index has. Such a search reads the values
    /// of all records.
    package var mayReadPersonal = false
    /// Only records that changed before those of an earlier page, by its ``RecordPage/next``; `nil` for the newest.
    package var before: Int64?
    /// The maximum number of records.
    package var limit = 60

    /// Creates a question for all records of a kind that are not in the trash.
    package init(kind: String? = nil) { self.kind = kind }
}

/// A part of the records that answer a question, the one that changed last first.
package struct RecordPage: Sendable, Hashable {
    /// The records.
    package var records: [Record] = []
    /// The start of the next page; `nil` if there is none.
    package var next: Int64?
    /// The number of records on all pages. A search counts up to ``mostCounted``.
    package var total = 0

    /// The number up to which a search counts.
    package static let mostCounted = 1000
}

/// An earlier content of a record, or its present one.
package struct RecordVersion: Sendable, Hashable {
    /// The number of the version.
    package let revision: Int
    /// The values and pictures.
    package let content: RecordContent
    /// `true` if this version is in the trash.
    package let isTrashed: Bool
    /// The time of the change.
    package let changed: WallTime
    /// The name of the token that changed it; `nil` for the command, and for a backend.
    package let actor: String?
}

/// The reason why a change of a record is not stored.
package enum RecordRefusal: Error, Sendable {
    /// The content is not valid.
    case faults([RecordFault])
    /// The record has another revision, which is given, or a new record has the ID of another one.
    case changed(Record)
    /// There is no such record, or it is in the trash.
    case missing
    /// The store cannot be used.
    case other(CaptureError)
}

/// The words of a record, and of a question for it.
enum RecordText {
    /// The words for which a question is asked; more are ignored.
    private static let mostWords = 16

    /// Returns the words of a text in lower case.
    static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// Returns all words of a content with a space before each.
    static func plain(_ content: RecordContent) -> String {
        content.values.sorted { $0.key < $1.key }.flatMap { words($0.value) }.map { " " + $0 }.joined()
    }

    /// Returns the words of a question with a space before each; `nil` if it has none.
    static func sought(_ text: String) -> [String]? {
        let found = words(text).prefix(mostWords).map { " " + $0 }
        return found.isEmpty ? nil : found
    }

    /// Returns the values of the fields that are not personal.
    static func indexed(_ content: RecordContent, _ kind: RecordKind?) -> String {
        guard let kind else { return "" }
        return kind.fields.filter { !$0.isPersonal }.compactMap { content.values[$0.name] }.joined(separator: "\n")
    }

    /// Returns the words in the index for the kind and the state of a record. An SQLite tokenizer sees each as one
    /// word.
    static func facets(kind: String, isTrashed: Bool) -> String {
        state(isTrashed) + " " + facet(kind: kind, isTrashed: isTrashed)
    }

    /// Returns the expression of a search for the index (FTS5); `nil` if the question has no word. Each word of a
    /// person is a quoted string without quotation marks, so it is never an operator.
    static func expression(_ query: RecordQuery) -> String? {
        let found = words(query.words).prefix(mostWords)
        guard !found.isEmpty else { return nil }
        let scope = query.kind.map { facet(kind: $0, isTrashed: query.isTrashed) } ?? state(query.isTrashed)
        return (["facets : \"\(scope)\""] + found.map { "text : \"\($0)\" *" })
            .joined(separator: " AND ")
    }

    private static func state(_ isTrashed: Bool) -> String { isTrashed ? "t" : "p" }

    private static func facet(kind: String, isTrashed: Bool) -> String {
        state(isTrashed) + kind.utf8.map { $0.padded(to: 2, radix: 16) }.joined()
    }
}
