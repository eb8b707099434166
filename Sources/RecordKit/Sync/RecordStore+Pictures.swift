// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

/// The place of a picture at which a viewer looks.
package enum RecordPictureState: Sendable, Hashable {
    /// It is here, at a path.
    case here(String)
    /// The synchronization fetches it.
    case requested
    /// The backend does not have it.
    case missing
    /// No record has it, or no backend has the records.
    case unknown
}

// The pictures between this machine and the backend. Any process may write the requests; the synchronization fulfills
// them.

extension RecordStore {
    /// The time after which a picture that the backend does not have can be requested again, in milliseconds.
    private static let missingTime: Int64 = 600_000
    /// The most uses of a picture in which its size is looked for.
    private static let mostUses = 8

    // MARK: Requested pictures

    /// Requests a picture that is not here from the synchronization.
    ///
    /// - Parameter now: The time of day, in milliseconds since 1970.
    package func request(_ sha256: String, at now: Int64) throws(CaptureError) -> RecordPictureState {
        if let path = blobPath(sha256) { return .here(path) }
        let known = try perform { database throws(DatabaseError) -> RecordPictureState? in
            guard try database.number("SELECT 1 FROM collection WHERE etag IS NOT NULL LIMIT 1") != nil,
                try blob(sha256, in: database) != nil
            else { return .unknown }
            let rows = try database.prepare(
                "SELECT state, changed_ms FROM requested_blob WHERE sha256 = ?", [.text(sha256)])
            guard try rows.next() else { return nil }
            if try rows.requiredText(0) == "requested" { return .requested }
            let age = now.subtractingReportingOverflow(try rows.requiredInteger(1))
            return !age.overflow && (0..<Self.missingTime).contains(age.partialValue) ? .missing : nil
        }
        if let known { return known }
        try setRequest(sha256, "requested", at: now)
        return .requested
    }

    /// Returns the state of a picture without requesting it.
    package func pictureState(_ sha256: String) throws(CaptureError) -> RecordPictureState {
        if let path = blobPath(sha256) { return .here(path) }
        return try perform { database throws(DatabaseError) in
            let rows = try database.prepare("SELECT state FROM requested_blob WHERE sha256 = ?", [.text(sha256)])
            guard try rows.next() else { return .unknown }
            return try rows.requiredText(0) == "requested" ? .requested : .missing
        }
    }

    /// Returns the picture that was requested last; `nil` if there is none.
    func requestedBlob() throws(CaptureError) -> RecordBlob? {
        while true {
            let found = try perform { database throws(DatabaseError) -> (sha256: String, RecordBlob?)? in
                let rows = try database.prepare(
                    "SELECT sha256 FROM requested_blob WHERE state = 'requested' ORDER BY changed_ms DESC LIMIT 1")
                guard try rows.next() else { return nil }
                let sha256 = try rows.requiredText(0)
                return (sha256, try blob(sha256, in: database))
            }
            guard let (sha256, blob) = found else { return nil }
            if let blob { return blob }
            // No record has it any more.
            try endRequest(sha256)
        }
    }

    /// Ends a request for a picture, which is here, or which no record has.
    func endRequest(_ sha256: String) throws(CaptureError) {
        try commit { database throws(DatabaseError) in try forgetRequest(sha256, in: database) }
    }

    /// Remembers that the backend does not have a picture.
    func markMissing(_ sha256: String, at now: Int64) throws(CaptureError) {
        try setRequest(sha256, "missing", at: now)
    }

    private func setRequest(_ sha256: String, _ state: String, at now: Int64) throws(CaptureError) {
        try commit { database throws(DatabaseError) in
            _ = try database.insert(
                "INSERT OR REPLACE INTO requested_blob VALUES (?, ?, ?)", [.text(sha256), .text(state), .integer(now)])
        }
    }

    private func forgetRequest(_ sha256: String, in database: Database) throws(DatabaseError) {
        try database.insert("DELETE FROM requested_blob WHERE sha256 = ?", [.text(sha256)])
    }

    /// Returns a picture of a version or of a conflict; `nil` if no record has it.
    private func blob(_ sha256: String, in database: Database) throws(DatabaseError) -> RecordBlob? {
        let uses = try database.prepare(
            """
            SELECT blob_use.record, content FROM blob_use LEFT JOIN version USING(record, revision)
            WHERE sha256 = ? ORDER BY blob_use.revision DESC LIMIT \(Self.mostUses)
            """, [.text(sha256)])
        while try uses.next() {
            guard let id = RecordID(try uses.requiredText(0)) else { throw uses.wrong(0) }
            let contents: [RecordContent] =
                if let text = try uses.text(1) {
                    [try RecordRow.content(text, of: id)]
                } else {
                    try conflicts(of: id, in: database).compactMap(\.theirs.content)
                }
            if let blob = contents.flatMap(\.blobs).first(where: { $0.sha256 == sha256 }) { return blob }
        }
        return nil
    }

    /// Returns `true` if a record is among those that changed last.
    func isRecent(_ id: RecordID, most: Int) throws(CaptureError) -> Bool {
        try perform { database throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT count(*) FROM (SELECT 1 FROM record WHERE place > (SELECT place FROM record WHERE id = ?)
                LIMIT ?)
                """, [.text(id.description), .init(most)])
            guard try rows.next() else { return false }
            return Int(try rows.requiredInteger(0)) < most
        }
    }

    // MARK: Pictures that no record has any more

    /// Remembers the pictures among these that no record has any more, if a backend may have them.
    func noteUnused(_ hashes: [String], of kind: String, in database: Database) throws(DatabaseError) {
        let isSynchronized = try database.prepare("SELECT 1 FROM collection WHERE kind = ?", [.text(kind)]).next()
        guard isSynchronized else { return }
        for sha256 in hashes {
            if try isUsed(sha256, in: database) { continue }
            try database.insert("INSERT OR IGNORE INTO unused_blob VALUES (?)", [.text(sha256)])
            try forgetRequest(sha256, in: database)
        }
    }

    /// Returns the next picture that no record had any more; `nil` if there are no others.
    ///
    /// - Parameter last: The one before.
    func unusedBlob(after last: String) throws(CaptureError) -> String? {
        try perform { database throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT sha256 FROM unused_blob WHERE sha256 > ? ORDER BY sha256 LIMIT 1", [.text(last)])
            return try rows.next() ? try rows.requiredText(0) : nil
        }
    }

    /// Returns `true` if a version of a record has a picture.
    func isUsed(_ sha256: String) throws(CaptureError) -> Bool {
        try perform { database throws(DatabaseError) in try isUsed(sha256, in: database) }
    }

    /// The backend no longer has a picture, or a record has it again.
    func forgetUnused(_ sha256: String) throws(CaptureError) {
        try commit { database throws(DatabaseError) in
            _ = try database.insert("DELETE FROM unused_blob WHERE sha256 = ?", [.text(sha256)])
        }
    }

    /// The backend itself removes all pictures that no record has.
    func forgetAllUnused() throws(CaptureError) {
        guard try unusedBlob(after: "") != nil else { return }
        try commit { database throws(DatabaseError) in try database.run("DELETE FROM unused_blob") }
    }
}
