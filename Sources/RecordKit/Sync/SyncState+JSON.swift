// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension SyncState {
    /// The state as an object for programs.
    package var json: JSONValue {
        .object([
            "kind": .string(kind), "question": .optional(question?.text), "answer": .optional(answer?.rawValue),
            "pulled": .optional(pulled.map(Self.moment)), "waiting": .integer(waiting),
            "conflicts": .integer(conflicts), "refused": .integer(refused),
        ])
    }

    private static func moment(_ milliseconds: Int64) -> String {
        WallTime(seconds: milliseconds / 1000, nanoseconds: Int32(milliseconds % 1000) * 1_000_000).iso8601
    }
}

extension RecordConflict {
    /// The conflict as an object for programs. A value is text, a picture, or null; a whole record is a content, or null if
    /// it was deleted.
    package func json(_ id: RecordID) -> JSONValue {
        .object([
            "id": .string(id.description), "part": .optional(part?.description), "base": value(of: base),
            "mine": value(of: mine), "theirs": value(of: theirs),
        ])
    }

    private func value(of copy: RecordCopy) -> JSONValue {
        guard let content = copy.content else { return .null }
        guard let part else { return content.json }
        return switch content[part] {
        case .text(let text): .string(text)
        case .picture(let picture): picture.json
        case nil: .null
        }
    }
}
