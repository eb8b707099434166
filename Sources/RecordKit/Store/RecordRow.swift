// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

/// A record in the database, with its relation to the backend.
struct RecordRow: Sendable, Hashable {
    /// The relation of a record to the backend.
    enum Sync: String, Sendable, Hashable {
        /// The backend has this content, or knows that the record is deleted.
        case clean
        /// The backend does not have the last change.
        case dirty
        /// A person has to choose between this content and that of the backend.
        case conflict
        /// The backend refuses the content.
        case refused
    }

    /// The record.
    var record: Record
    /// The content that this board and the backend had in common last; `nil` if the backend has no such record.
    var base: RecordContent?
    /// The backend's ETag of the base, or of the deletion; `nil` if the backend never had the record.
    var baseETag: Int?
    /// The relation to the backend.
    var sync = Sync.dirty
    /// The reason why the backend refuses it.
    var reason: String?

    init(_ record: Record) { self.record = record }

    /// `true` if the backend has this content, or knows that the record is deleted.
    var isAtBase: Bool {
        guard record.isTrashed else { return base == record.content }
        return base == nil && baseETag != nil
    }

    /// Marks a change of this board.
    mutating func markChanged() {
        // A person has to choose first.
        guard sync != .conflict else { return }
        (sync, reason) = (isAtBase ? .clean : .dirty, nil)
    }

    // MARK: Columns

    static let columns = """
        record.id, record.kind, record.content, record.revision, record.state, record.changed_ns, record.zone,
        record.actor, record.base, record.base_etag, record.sync, record.reason, record.place
        """

    /// The place of the row, with ``columns``.
    static func place(_ row: borrowing DatabaseStatement) throws(DatabaseError) -> Int64 { try row.requiredInteger(12) }

    /// Reads a row with ``columns``.
    init(_ row: borrowing DatabaseStatement) throws(DatabaseError) {
        record = try Self.record(row)
        base = try row.text(8).map { text throws(DatabaseError) in try Self.content(text, of: record.id) }
        baseETag = try row.integer(9).map(Int.init)
        guard let sync = Sync(rawValue: try row.requiredText(10)) else { throw row.wrong(10) }
        (self.sync, reason) = (sync, try row.text(11))
    }

    /// Reads the record of a row with ``columns``.
    static func record(_ row: borrowing DatabaseStatement) throws(DatabaseError) -> Record {
        guard let id = RecordID(try row.requiredText(0)) else { throw row.wrong(0) }
        var record = Record(
            id: id, kind: try row.requiredText(1), content: try content(try row.requiredText(2), of: id),
            revision: Int(try row.requiredInteger(3)),
            changed: WallTime(nanoseconds: try row.requiredInteger(5), zone: Int(try row.requiredInteger(6))))
        record.isTrashed = try row.requiredText(4) == "trash"
        record.actor = try row.text(7)
        return record
    }

    /// Reads a content. The error has no value, as some are personal.
    static func content(_ text: String, of id: RecordID) throws(DatabaseError) -> RecordContent {
        do throws(CaptureError) {
            return try RecordContent(text, path: id.description)
        } catch {
            throw DatabaseError(damage: "the content of the record \(id) cannot be read")
        }
    }
}

extension Record {
    /// The state of the record in the database.
    var stateText: String { isTrashed ? "trash" : "present" }
}

extension WallTime {
    /// Creates a time from nanoseconds since the start of 1970, UTC, and seconds east of UTC.
    init(nanoseconds: Int64, zone: Int) {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let (seconds, fraction) = rest < 0 ? (whole - 1, rest + 1_000_000_000) : (whole, rest)
        self.init(seconds: seconds, nanoseconds: Int32(fraction), utcOffset: zone)
    }

    /// Nanoseconds since the start of 1970, UTC; the nearest possible number for times before 1678 and after 2262.
    var nanosecondsSince1970: Int64 {
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooLargeToo) = product.addingReportingOverflow(Int64(nanoseconds))
        return isTooLarge || isTooLargeToo ? (seconds < 0 ? .min : .max) : sum
    }
}
