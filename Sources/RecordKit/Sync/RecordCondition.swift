// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

/// The relation of a record to the backend, for people.
package struct RecordCondition: Sendable, Hashable {
    /// A word: `clean`, `dirty`, `conflict` or `refused`.
    package let word: String
    /// The reason why the backend refuses the record.
    package let reason: String?

    /// The members of an object for programs.
    package var members: [JSONValue.Member] {
        [.init(name: "sync", value: .string(word)), .init(name: "reason", value: .optional(reason))]
    }
}

extension RecordStore {
    /// Returns the relation of a record to the backend; `nil` if its kind was never synchronized.
    package func condition(of id: RecordID) throws(CaptureError) -> RecordCondition? {
        let found = try perform { database throws(DatabaseError) -> RecordRow? in try row(id, in: database) }
        guard let row = found, try isSynchronized(row.record.kind) else { return nil }
        return RecordCondition(word: row.sync.rawValue, reason: row.reason)
    }

    private func isSynchronized(_ kind: String) throws(CaptureError) -> Bool {
        let collection = try collection(kind)
        return collection.pulled != nil || collection.etag != nil
    }
}
