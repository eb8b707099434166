// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit
import Glibc
import LedgerKit

/// The durable list of a camera's clips, an SQLite file. It alone knows which files are clips.
///
/// Each change is durable on return, and one row changes at a time: a crash leaves the row before or after the change. The
/// file may contain anything, so rows are checked, and a damaged one hides only its own clip. Every call blocks. A list
/// belongs to one thread at a time.
package final class ClipAccount {
    /// The number and the size of the clips that are complete.
    package struct Totals: Sendable, Hashable {
        /// The number of clips.
        package var count = 0
        /// Their size in bytes.
        package var byteCount = 0
    }

    /// A clip that a crash has left unfinished.
    package enum Unfinished {
        case recording(StoredClip)
        case removing(StoredClip)

        /// The clip.
        package var clip: StoredClip {
            switch self {
            case .recording(let clip), .removing(let clip): clip
            }
        }

        /// `true` if it was being recorded, and `false` if it was being removed.
        package var isRecording: Bool { if case .recording = self { true } else { false } }
    }

    /// The path of the file.
    package let path: String
    /// The sums of the complete clips, which are read once and follow the changes of this connection.
    package private(set) var totals = Totals()
    private let base: String
    private let database: Database

    /// Opens a list.
    ///
    /// - Parameters:
    ///   - base: The absolute path of the folder to which paths are relative, without a trailing slash.
    ///   - access: `create` to create a missing list; `write` and `read` throw `.noInput` then.
    /// - Throws: `CaptureError` if the file cannot be used, or is something else.
    package init(_ path: String, base: String, _ access: Database.Access) throws(CaptureError) {
        if access != .create { _ = try RegularFile.sizeWithoutOpening(path) }
        let database: Database
        do throws(DatabaseError) { database = try Database(path, access) } catch { throw .clips(error, path) }
        let content = try ClipSchema.check(database, path)
        guard content != .empty || access == .create else { throw .emptyClips(path) }
        (self.path, self.base, self.database) = (path, base, database)
        guard access == .create || access == .write else { return }
        try prepare(content)
        try performing { database throws(DatabaseError) in
            // A journal works on every file system, and a list changes twice a clip.
            try database.run("PRAGMA synchronous = FULL")
            let mode = try database.prepare("PRAGMA journal_mode = TRUNCATE")
            _ = try mode.next()
        }
        totals = try countStored()
    }

    /// Creates the tables of an empty file, and those that an earlier version lacks.
    private func prepare(_ content: ClipSchema.Content) throws(CaptureError) {
        guard content != .clips(ClipSchema.version) else { return }
        try performing { database throws(DatabaseError) in
            try database.transaction { () throws(DatabaseError) in
                try database.run(content == .empty ? ClipSchema.creation : ClipSchema.upgrade)
            }
        }
    }

    /// Makes closing leave the file as it is: its disk is gone.
    package func abandon() { database.abandon() }

    // MARK: Reading

    /// Returns the clips whose files should exist, the newest first.
    ///
    /// - Parameters:
    ///   - id: The ID that all clips of the page are below; `nil` for the first page.
    ///   - limit: The maximum number of clips. The page can have fewer if rows are damaged.
    package func page(before id: Int?, limit: Int) throws(CaptureError) -> [StoredClip] {
        try clips(
            "SELECT \(ClipSchema.columns) FROM clips INDEXED BY clips_stored WHERE \(ClipSchema.stored) AND id < ? "
                + "ORDER BY id DESC LIMIT ?", [.integer(id.map(Int64.init) ?? .max), .init(max(0, limit))])
    }

    /// Returns a clip, also one that was removed; `nil` if there is none, or its row is damaged.
    package func clip(_ id: Int) throws(CaptureError) -> StoredClip? {
        try clips("SELECT \(ClipSchema.columns) FROM clips WHERE id = ?", [.init(id)]).first
    }

    /// Returns the newest clip with a file, also one that was removed; `nil` if there is none, or its row is damaged. It reads
    /// all rows.
    ///
    /// - Parameter path: The absolute path of the file.
    package func newest(ofFile path: String) throws(CaptureError) -> StoredClip? {
        let relative = String(path.dropFirst(LedgerPlace.folder(base).count))
        return try clips(
            "SELECT \(ClipSchema.columns) FROM clips WHERE path = ? ORDER BY id DESC LIMIT 1", [.text(relative)]
        ).first
    }

    /// Returns the oldest complete clip after an ID; `nil` if there is none.
    package func oldest(after id: Int) throws(CaptureError) -> StoredClip? {
        var last = id
        while let next = try storedID(after: last) {
            if let clip = try clip(next), clip.state != .recording { return clip }
            last = next
        }
        return nil
    }

    /// Returns the clips that a crash would leave unfinished, the oldest first.
    package func unfinished() throws(CaptureError) -> [Unfinished] {
        try performing { database throws(DatabaseError) in
            var found: [Unfinished] = []
            let rows = try database.prepare(
                "SELECT \(ClipSchema.columns) FROM clips INDEXED BY clips_unfinished WHERE \(ClipSchema.unfinished) "
                    + "ORDER BY id")
            while try rows.next() {
                guard let clip = try? StoredClip(rows, base) else { continue }
                found.append(try rows.text(4) == "removing" ? .removing(clip) : .recording(clip))
            }
            return found
        }
    }

    private func storedID(after id: Int) throws(CaptureError) -> Int? {
        try performing { database throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT id FROM clips INDEXED BY clips_stored WHERE \(ClipSchema.stored) AND id > ? ORDER BY id LIMIT 1",
                [.init(id)])
            return try rows.next() ? Int(try rows.requiredInteger(0)) : nil
        }
    }

    private func clips(_ text: String, _ values: [DatabaseValue]) throws(CaptureError) -> [StoredClip] {
        try performing { database throws(DatabaseError) in
            var found: [StoredClip] = []
            let rows = try database.prepare(text, values)
            while try rows.next() { if let clip = try? StoredClip(rows, base) { found.append(clip) } }
            return found
        }
    }

    private func countStored() throws(CaptureError) -> Totals {
        try performing { database throws(DatabaseError) in
            var totals = Totals()
            let rows = try database.prepare(
                "SELECT bytes FROM clips INDEXED BY clips_stored WHERE \(ClipSchema.stored) AND bytes IS NOT NULL")
            while try rows.next() {
                guard let bytes = try? rows.count(0) else { continue }
                totals.count += 1
                totals.byteCount = totals.byteCount.addingSaturated(bytes)
            }
            return totals
        }
    }

    // MARK: Changes

    /// Adds a clip that is about to be recorded.
    ///
    /// - Parameter path: The absolute path of its file, in the folder of the list.
    /// - Returns: Its ID.
    package func add(_ path: String, start: WallTime, width: Int, height: Int) throws(CaptureError) -> Int {
        guard path.hasPrefix(LedgerPlace.folder(base)) else {
            throw CaptureError(.software, "is not in the folder of the clips", subject: path)
        }
        let relative = String(path.dropFirst(LedgerPlace.folder(base).count))
        return try performing { database throws(DatabaseError) in
            Int(
                try database.insert(
                    """
                    INSERT INTO clips(path, start_ns, start_zone, state, width, height)
                    VALUES(?, ?, ?, 'recording', ?, ?)
                    """, [.text(relative)] + DatabaseValue.moment(start) + [.init(width), .init(height)]))
        }
    }

    /// Sets the state and all facts that are known at the end of a clip that is being recorded.
    ///
    /// - Returns: `false` if the list has no such clip.
    @discardableResult
    package func end(_ clip: StoredClip) throws(CaptureError) -> Bool {
        let changed = try change(
            """
            UPDATE clips SET state = ?, duration_ns = ?, frames = ?, dropped = ?, sound_ns = ?, bytes = ?, reason = ?,
                error = ? WHERE id = ? AND state = 'recording'
            """,
            [
                .text(clip.state.rawValue), .init(clip.duration.map { Int($0.nanoseconds) }), .init(clip.frameCount),
                .init(clip.droppedCount), .init(clip.soundDuration.map { Int($0.nanoseconds) }), .init(clip.byteCount),
                .init(clip.reason), .init(clip.error), .init(clip.id),
            ])
        if changed, clip.state == .complete || clip.state == .repaired { count(clip, 1) }
        return changed
    }

    /// Notes an error about a clip that stays unfinished.
    package func note(_ error: String, about id: Int) throws(CaptureError) {
        try change("UPDATE clips SET error = ? WHERE id = ? AND state = 'recording'", [.text(error), .init(id)])
    }

    /// Begins the removal of a complete clip: the next process ends it after a crash.
    ///
    /// - Parameter isDeletion: `true` if a person deletes the clip, and not a limit.
    package func beginRemoval(of clip: StoredClip, isDeletion: Bool = false) throws(CaptureError) {
        var isChanged = false
        try performing { database throws(DatabaseError) in
            try database.transaction { () throws(DatabaseError) in
                isChanged = try database.change(
                    "UPDATE clips SET state = 'removing' WHERE id = ? AND state IN ('complete', 'repaired')",
                    [.init(clip.id)])
                guard isChanged, isDeletion else { return }
                try database.insert("INSERT OR IGNORE INTO deletions(clip) VALUES (?)", [.init(clip.id)])
            }
        }
        if isChanged { count(clip, -1) }
    }

    /// Undoes ``beginRemoval(of:)``, as the file cannot be removed.
    package func cancelRemoval(of clip: StoredClip) throws(CaptureError) {
        var isChanged = false
        try performing { database throws(DatabaseError) in
            try database.transaction { () throws(DatabaseError) in
                isChanged = try database.change(
                    "UPDATE clips SET state = ? WHERE id = ? AND state = 'removing'",
                    [.text(clip.state.rawValue), .init(clip.id)])
                try database.insert("DELETE FROM deletions WHERE clip = ?", [.init(clip.id)])
            }
        }
        if isChanged { count(clip, 1) }
    }

    /// Ends a removal.
    ///
    /// - Parameter state: `removed`, or `gone` if the file was another one.
    package func endRemoval(of id: Int, as state: StoredClip.State) throws(CaptureError) {
        try change(
            "UPDATE clips SET state = ? WHERE id = ? AND state = 'removing'", [.text(state.rawValue), .init(id)])
    }

    private func count(_ clip: StoredClip, _ sign: Int) {
        totals.count += sign
        totals.byteCount = totals.byteCount.addingSaturated(sign * (clip.byteCount ?? 0))
    }

    /// - Returns: `true` if a row has changed.
    @discardableResult
    private func change(_ text: String, _ values: [DatabaseValue]) throws(CaptureError) -> Bool {
        try performing { database throws(DatabaseError) in try database.change(text, values) }
    }

    @discardableResult
    private func performing<Result>(
        _ body: (Database) throws(DatabaseError) -> Result
    ) throws(CaptureError) -> Result {
        do throws(DatabaseError) { return try body(database) } catch { throw .clips(error, path) }
    }
}

extension Database {
    /// Runs a statement that changes the clips, and returns `true` if a row has changed.
    fileprivate func change(_ text: String, _ values: [DatabaseValue]) throws(DatabaseError) -> Bool {
        let statement = try prepare(text + " RETURNING id", values)
        let changed = try statement.next()
        while try statement.next() {}
        return changed
    }
}

extension Int {
    /// The sum, or the limit that it would exceed.
    fileprivate func addingSaturated(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}

extension StoredClip {
    /// Reads a row of ``ClipSchema/columns``.
    ///
    /// - Parameter base: The folder of the list.
    init(_ row: borrowing DatabaseStatement, _ base: String) throws(DatabaseError) {
        let path = try row.requiredText(1)
        // The list may name any path, and files are changed and removed by it.
        guard !path.isEmpty, !path.hasPrefix("/"), !path.utf8.contains(0),
            !path.split(separator: "/").contains("..")
        else { throw row.wrong(1) }
        self.init(
            id: Int(try row.requiredInteger(0)), path: LedgerPlace.folder(base) + path,
            start: try row.requiredMoment(2), width: try row.count(10), height: try row.count(11))
        switch try row.requiredText(4) {
        // A removal that has begun cannot be undone by a client.
        case "removing": state = .removed
        case let word:
            guard let known = State(rawValue: word) else { throw row.wrong(4) }
            state = known
        }
        (duration, soundDuration) = (try row.duration(5), try row.duration(8))
        (frameCount, droppedCount) = (try row.optionalCount(6), try row.optionalCount(7))
        byteCount = try row.optionalCount(9)
        (reason, error) = (try row.text(12), try row.text(13))
    }
}

extension DatabaseStatement {
    fileprivate func optionalCount(_ column: Int32) throws(DatabaseError) -> Int? {
        isNull(column) ? nil : try count(column)
    }

    fileprivate func duration(_ column: Int32) throws(DatabaseError) -> Duration? {
        try optionalCount(column).map { .nanoseconds($0) }
    }
}
