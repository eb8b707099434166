// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit
import Glibc
import StillKit
import SystemBase

// The daily work of a store: records end, pictures without records are removed, and the database is copied.

extension RecordStore {
    /// The time for which a record stays in the trash.
    package static let trashTime = Duration.seconds(30 * 86400)
    /// The time for which a picture without a record stays.
    package static let looseTime = Duration.seconds(86400)
    /// The most records that one transaction moves or erases.
    private static let batch = 200

    /// The result of a day's care.
    package struct Care: Sendable, Hashable {
        /// The records that were moved into the trash, as the time of their kind is over.
        package var expired = 0
        /// The records that were erased, as their time in the trash is over.
        package var purged = 0
        /// The pictures that no record has, and that were removed.
        package var collected = 0
    }

    /// Ends the records whose time is over, removes pictures without records, and copies the database. It waits while
    /// another program does so.
    package func care() throws(CaptureError) -> Care {
        let lock = try FileLock(waitingFor: careLockPath)
        defer { withExtendedLifetime(lock.descriptor) {} }
        return try doCare()
    }

    /// Does the same as ``care()`` if the copy of the database is older than a day, or missing.
    ///
    /// - Returns: `nil` if there was nothing to do, or another program does it.
    package func careDaily() throws(CaptureError) -> Care? {
        guard !isCared, let lock = try FileLock(careLockPath) else { return nil }
        defer { withExtendedLifetime(lock.descriptor) {} }
        if isCared { return nil }
        return try doCare()
    }

    private var isCared: Bool {
        var status = stat()
        guard stat(backupPath, &status) == 0 else { return false }
        return (AgeClock.current().age(of: Int64(status.st_mtim.tv_sec)) ?? 0) < 86400
    }

    private func doCare() throws(CaptureError) -> Care {
        var care = Care()
        care.expired = try expire()
        care.purged = try emptyTrash()
        care.collected = try collectBlobs(olderThan: Self.looseTime)
        try copy()
        return care
    }

    private var careLockPath: String { folder + "/care.lock" }

    private var backupPath: String { folder + "/" + Self.backupName }

    /// Moves the records into the trash whose last change is older than their kind keeps them.
    ///
    /// - Parameter age: Returns the seconds since a second of the wall clock; `nil` if they are not known, as after a
    ///   jump of the clock: no record ends then.
    /// - Returns: The number of records.
    package func expire(
        age: (Int64) -> Int64? = { AgeClock.current().age(of: $0) }
    ) throws(CaptureError) -> Int {
        var count = 0
        for kind in kinds {
            guard let retention = kind.retention else { continue }
            count += try each("present", of: kind.id, olderThan: retention, age) { id, database throws(DatabaseError) in
                if let row = try row(id, in: database) { try trashed(row, in: database) }
                return []
            }
        }
        return count
    }

    /// Erases the records that are in the trash for longer than ``trashTime``. A record whose deletion the backend does
    /// not know yet stays.
    ///
    /// - Returns: The number of records.
    package func emptyTrash(
        age: (Int64) -> Int64? = { AgeClock.current().age(of: $0) }
    ) throws(CaptureError) -> Int {
        let kinds = try perform { database throws(DatabaseError) in
            let rows = try database.prepare("SELECT kind FROM tally WHERE state = 'trash' AND count > 0")
            var kinds: [String] = []
            while try rows.next() { kinds.append(try rows.requiredText(0)) }
            return kinds
        }
        var count = 0
        for kind in kinds {
            count += try each("trash", of: kind, olderThan: Self.trashTime, age) { id, database throws(DatabaseError) in
                try erase(id, in: database) ?? []
            }
        }
        return count
    }

    /// Calls `body` with each record of a state that did not change for a time, in transactions of limited length, and
    /// removes the pictures that it returns.
    private func each(
        _ state: String, of kind: String, olderThan limit: Duration, _ age: (Int64) -> Int64?,
        _ body: (RecordID, Database) throws(DatabaseError) -> [String]
    ) throws(CaptureError) -> Int {
        // The backend knows the deletion, or never had the record.
        let condition = state == "trash" ? "AND (sync = 'clean' OR base IS NULL)" : ""
        var count = 0
        while true {
            var (done, hashes) = (0, [String]())
            try commit { database throws(DatabaseError) in
                let rows = try database.prepare(
                    """
                    SELECT id, changed_ns FROM record WHERE kind = ? AND state = ? \(condition)
                    ORDER BY changed_ns LIMIT ?
                    """, [.text(kind), .text(state), .init(Self.batch)])
                var ids: [RecordID] = []
                while try rows.next() {
                    let changed = WallTime(nanoseconds: try rows.requiredInteger(1), zone: 0)
                    guard let id = RecordID(try rows.requiredText(0)), let passed = age(changed.seconds),
                        passed >= limit.components.seconds
                    else { break }
                    ids.append(id)
                }
                for id in ids { hashes += try body(id, database) }
                done = ids.count
            }
            try removeUnused(hashes)
            count += done
            if done < Self.batch { return count }
        }
    }

    /// Removes the pictures that no record has, and that are older than an age.
    ///
    /// - Returns: The number of pictures.
    package func collectBlobs(olderThan age: Duration = looseTime) throws(CaptureError) -> Int {
        try blobs.collect(olderThan: age) { sha256 throws(CaptureError) in
            try perform { database throws(DatabaseError) in try isUsed(sha256, in: database) }
        } ifUnused: { sha256, remove throws(CaptureError) in
            try ifUnused(sha256, remove)
        }
    }

    /// Copies the database to `records-backup.db`, durably. Readers find the last copy or the new one.
    package func backUp() throws(CaptureError) {
        let lock = try FileLock(waitingFor: careLockPath)
        defer { withExtendedLifetime(lock.descriptor) {} }
        try copy()
    }

    private func copy() throws(CaptureError) {
        let copy = backupPath + ".new"
        unlink(copy)
        _ = try perform { database throws(DatabaseError) in try database.insert("VACUUM INTO ?", [.text(copy)]) }
        chmod(copy, 0o600)
        let descriptor = open(copy, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(errno, copy, "cannot be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .file(errno, copy, "cannot be made durable") }
        guard rename(copy, backupPath) == 0 else { throw .file(errno, backupPath, "cannot be replaced") }
        try StillFolder.syncName(of: backupPath)
    }
}
