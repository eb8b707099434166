// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The reason why the synchronization of a collection has stopped until a person answers.
package enum SyncQuestion: Sendable, Hashable {
    /// The backend has no records, although it had some.
    case emptied(known: Int)
    /// The backend was restored from an older copy: its ETag, or that of a record, is lower than before, or records are
    /// missing.
    case older
    /// The backend deleted many records since the last pull.
    case deletions(Int, of: Int)

    /// The question as text for the store: a word, and its numbers.
    package var code: String {
        switch self {
        case .emptied(let known): "emptied \(known)"
        case .older: "older"
        case .deletions(let count, let known): "deletions \(count) \(known)"
        }
    }

    /// Reads a question from the store; `nil` if the text is none.
    package init?(code: String) {
        let words = code.split(separator: " ")
        let numbers = words.dropFirst().compactMap { Int($0) }
        switch (words.first, numbers.count) {
        case ("emptied", 1): self = .emptied(known: numbers[0])
        case ("older", 0): self = .older
        case ("deletions", 2): self = .deletions(numbers[0], of: numbers[1])
        default: return nil
        }
    }

    /// The question in words, with both answers.
    package var text: String {
        switch self {
        case .emptied(let known): "the backend lost all of its \(known) records; push yours, or accept?"
        case .older: "the backend was restored from an older copy; push yours, or accept?"
        case .deletions(let count, let known):
            "the backend deleted \(count) of \(known) records at once; push yours, or accept?"
        }
    }

    /// `true` if an answer to the other question answers this one, too.
    func isLike(_ other: SyncQuestion) -> Bool {
        code.split(separator: " ").first == other.code.split(separator: " ").first
    }
}

/// The answer of a person to a ``SyncQuestion``.
package enum SyncAnswer: String, Sendable, Hashable, CaseIterable {
    /// The records of this device are right: the backend gets them again.
    case push
    /// The backend is right: what it deleted goes to the trash.
    case accept
}
