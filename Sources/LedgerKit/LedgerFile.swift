// Part of gst-capture. Apache License 2.0, see LICENSE.

import CSQLite
import CaptureBase
import DatabaseKit
import Glibc
import ScheduleKit

/// A ledger that this process has open to add lines. A lock excludes other writers.
///
/// The series and the run are inserted with their first line: a run without lines leaves nothing. Every call blocks.
final class LedgerFile {
    private let place: LedgerPlace
    private let description: SeriesDescription
    private let position: SeriesPosition?
    private let start: WallTime
    /// The ID of the process of the run.
    private let process: Int
    private let database: Database
    private let version: Int64
    private let lock: LedgerLock
    /// Slots for which the previous run has no line. Their lines are added with the first line of this run.
    private var gaps: [LedgerEntry] = []
    /// The current state of the ledger.
    private(set) var state = LedgerState()

    /// Opens a ledger, or creates it.
    ///
    /// - Parameters:
    ///   - position: The position at which the series resumes; `nil` to begin a new one.
    ///   - start: When the run began.
    ///   - stopsWhenCancelled: `true` to throw and change nothing once the calling task is canceled.
    init(
        _ place: LedgerPlace, _ description: SeriesDescription, from position: SeriesPosition?, start: WallTime,
        stopsWhenCancelled: Bool = false
    ) throws(CaptureError) {
        (self.place, self.description, self.position, self.start) = (place, description, position, start)
        process = Int(getpid())
        let folder = StillFolder.path(of: place.path)
        try StillFolder.make(folder)
        lock = try LedgerLock(of: place.path)
        (database, version) = try Self.open(place, .create, lock, stopsWhenCancelled)
        try StillFolder.sync(folder)
        state.lineCount = try lineCount()
        if let position { try resumeSeries(position) }
        database.wait(for: Self.patience)
        // Lines are written even if the task is canceled.
        database.stopsWhenCancelled(false)
    }

    /// Opens a ledger again that this run has closed. A missing ledger is not created.
    ///
    /// - Parameters:
    ///   - earlier: The state when it was closed.
    ///   - process: The ID of the process of the run, which may have been killed.
    /// - Throws: ``CaptureError`` if the ledger is missing, or if this run has lines that the ledger does not contain.
    init(
        _ place: LedgerPlace, _ description: SeriesDescription, from position: SeriesPosition?, start: WallTime,
        after earlier: LedgerState, process: Int = Int(getpid())
    ) throws(CaptureError) {
        self.process = process
        (self.place, self.description, self.position, self.start) = (place, description, position, start)
        guard DeviceFiles.exists(place.path) else { throw .ledgerGone(place.path) }
        lock = try LedgerLock(of: place.path)
        (database, version) = try Self.open(place, .write, lock)
        let own = try ownRun()
        guard earlier.run == nil || earlier.run == own?.id else { throw .ledgerReplaced(place.path) }
        state = LedgerState(series: own?.series, run: own?.id, lineCount: try lineCount())
        if own == nil, let position { try resumeSeries(position) }
        database.wait(for: Self.patience)
    }

    /// The timeout while another program has the ledger locked. It is short, because pictures must not wait for lines;
    /// the lines are queued.
    private static let patience = Duration.milliseconds(100)

    /// Sets a longer timeout for the last lines, which no pictures follow.
    func waitLonger() { database.wait(for: .seconds(5)) }

    /// Makes closing leave the file as it is. The next process finds all durable lines in it, at any path.
    func abandon() { database.abandon() }

    /// `false` if the file of the lock is gone, such as with its disk, so that new lines would be lost. The ledger
    /// itself is not checked.
    var isInPlace: Bool { lock.isInPlace }

    private static func open(
        _ place: LedgerPlace, _ access: Database.Access, _ lock: borrowing LedgerLock,
        _ stopsWhenCancelled: Bool = false
    ) throws(CaptureError) -> (Database, version: Int64) {
        let isShared = NetworkFileSystem.holds(place.path) || !lock.canShareMemory
        do throws(LedgerFault) {
            let database = try LedgerFault.catching { () throws(DatabaseError) in
                let database = try Database(place.path, access)
                database.stopsWhenCancelled(stopsWhenCancelled)
                if access == .write { database.wait(for: patience) }
                return database
            }
            // The file of another program must stay as it is, and its journal mode is part of it.
            let version = try LedgerSchema.check(database)
            try LedgerFault.catching { () throws(DatabaseError) in try database.makeDurable(isShared: isShared) }
            if let version {
                return (
                    database, try LedgerFault.catching { () throws(DatabaseError) in try database.migrate(version) }
                )
            }
            guard access == .create else { throw .empty }
            try LedgerFault.catching { () throws(DatabaseError) in
                try database.transaction { () throws(DatabaseError) in try database.run(LedgerSchema.creation) }
            }
            return (database, LedgerSchema.version)
        } catch {
            throw .ledger(error, place.path)
        }
    }

    /// Resumes the last series, and finds its gaps. If its settings have changed meanwhile, a new series begins.
    private func resumeSeries(_ position: SeriesPosition) throws(CaptureError) {
        guard let series = try resumableSeries(position) else { return }
        state.series = series
        // This run is not inserted yet, so the last run is the previous one.
        gaps = try reading { () throws(DatabaseError) in
            try LedgerGaps(of: series, every: description.interval, in: database, version: version).entries
        }
    }

    private func resumableSeries(_ position: SeriesPosition) throws(CaptureError) -> Int64? {
        let (last, found, settings) = try reading { () throws(DatabaseError) in
            let last = try database.number("SELECT max(id) FROM series") ?? 0
            let rows = try database.prepare(
                "SELECT template, interval_ns, schedule FROM series WHERE id = ?", [.integer(last)])
            let settings = try rows.next() ? SeriesDescription(rows, from: 0) : nil
            return (last, try SeriesPosition(of: last, in: database, version: version), settings)
        }
        // Lines may have been lost, but no other process may have continued the series meanwhile.
        guard found?.lastIndex ?? -1 <= position.lastIndex else { throw .ledgerInUse(place.path, by: nil) }
        return settings == description ? last : nil
    }

    /// Returns the IDs of this run and of its series; `nil` if the ledger contains nothing of this run.
    private func ownRun() throws(CaptureError) -> (id: Int64, series: Int64)? {
        try reading { () throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT id, series FROM runs WHERE start_ns = ? AND start_zone = ? AND process = ? ORDER BY id DESC",
                DatabaseValue.moment(start) + [.init(process)])
            return try rows.next() ? (Int64(try rows.count(0)), Int64(try rows.count(1))) : nil
        }
    }

    private func lineCount() throws(CaptureError) -> Int64 {
        try reading { () throws(DatabaseError) in try database.lineCount() }
    }

    /// Returns `true` if the ledger has the line of a picture.
    func contains(_ entry: LedgerEntry) throws(CaptureError) -> Bool {
        guard case .captured(let still) = entry.outcome, let file = still.file else { return false }
        return try reading { () throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT id FROM slots WHERE file = ? AND sha256 = ? AND due_ns = ? AND burst_index = ? LIMIT 1",
                [
                    .text(place.relative(file)), .init(still.sha256), .integer(entry.due.nanosecondsSince1970),
                    .init(still.burstIndex),
                ])
            return try rows.next()
        }
    }

    // MARK: Adding

    /// Adds lines, all or none. They are durable on return.
    ///
    /// - Parameter anchor: The moment that the slots are counted from.
    /// - Returns: The numbers of the lines of slots.
    @discardableResult
    func add(_ lines: [LedgerLine], anchor: WallTime) throws(CaptureError) -> [Int] {
        let old = state
        var numbers: [Int] = []
        do throws(CaptureError) {
            try reading { () throws(DatabaseError) in
                try database.transaction { () throws(DatabaseError) in
                    let run = try currentRun(anchor)
                    for line in lines { if let number = try add(line, run) { numbers.append(number) } }
                    state.lineCount = try database.lineCount()
                }
            }
        } catch {
            state = old
            throw error
        }
        return numbers
    }

    /// Returns the number of the line; `nil` for a removal.
    @discardableResult
    private func add(_ line: LedgerLine, _ run: Int64) throws(DatabaseError) -> Int? {
        switch line {
        case .slot(let entry):
            let values = [.integer(run)] + entry.values(place)
            let places = Array(repeating: "?", count: values.count).joined(separator: ", ")
            return Int(try database.insert("INSERT INTO slots(run, \(LedgerEntry.columns)) VALUES(\(places))", values))
        case .removal(let removal):
            try database.insert(
                """
                INSERT INTO removals(file, removed_ns, removed_zone, reason, slot)
                VALUES(?1, ?2, ?3, ?4, (SELECT max(id) FROM slots WHERE file = ?1))
                """,
                [.text(place.relative(removal.file))] + DatabaseValue.moment(removal.time) + [.text(removal.reason)])
            return nil
        }
    }

    /// Adds removals to the newest lines of their files, unless these have them. They belong to no run.
    ///
    /// - Returns: The number of removals that were added.
    func complete(_ removals: [LedgerRemoval]) throws(CaptureError) -> Int {
        var count = 0
        try reading { () throws(DatabaseError) in
            try database.transaction { () throws(DatabaseError) in
                for removal in removals where try lacks(removal) {
                    try add(.removal(removal), 0)
                    count += 1
                }
                state.lineCount = try database.lineCount()
            }
        }
        return count
    }

    /// `true` if the newest line of a removal's file has no removal.
    private func lacks(_ removal: LedgerRemoval) throws(DatabaseError) -> Bool {
        let rows = try database.prepare(
            """
            SELECT 1 FROM slots WHERE id = (SELECT max(id) FROM slots WHERE file = ?)
                AND NOT EXISTS(SELECT 1 FROM removals WHERE slot = slots.id)
            """, [.text(place.relative(removal.file))])
        return try rows.next()
    }

    private func currentRun(_ anchor: WallTime) throws(DatabaseError) -> Int64 {
        if let run = state.run { return run }
        let series = if let series = state.series { series } else { try insertSeries(anchor) }
        let new = try database.insert(
            "INSERT INTO runs(series, start_ns, start_zone, process, program) VALUES(?, ?, ?, ?, ?)",
            [.integer(series)] + DatabaseValue.moment(start) + [.init(process), .text(Self.program)])
        (state.series, state.run) = (series, new)
        for entry in gaps { try add(.slot(entry), new) }
        return new
    }

    private func insertSeries(_ anchor: WallTime) throws(DatabaseError) -> Int64 {
        try database.insert(
            """
            INSERT INTO series(template, interval_ns, schedule, first, anchor_ns, anchor_zone, program)
            VALUES(?, ?, ?, ?, ?, ?, ?)
            """,
            description.values + [.init((position?.lastIndex ?? -1) + 1)]
                + DatabaseValue.moment(position?.anchor ?? anchor) + [.text(Self.program)])
    }

    /// Records how the run ended, if the run has any lines.
    func end(_ ending: CaptureEnding) throws(CaptureError) {
        guard let run = state.run else { return }
        let (word, message): (String, String?) =
            switch ending {
            case .completed: ("completed", nil)
            case .stopped: ("stopped", nil)
            case .failed(let error): ("failed", "\(error)")
            }
        try reading { () throws(DatabaseError) in
            try database.insert(
                "INSERT INTO run_ends(run, end_ns, end_zone, ending, message) VALUES(?, ?, ?, ?, ?)",
                [.integer(run)] + DatabaseValue.moment(.now()) + [.text(word), .init(message)])
        }
    }

    @discardableResult
    private func reading<Result>(_ body: () throws(DatabaseError) -> Result) throws(CaptureError) -> Result {
        do throws(DatabaseError) { return try body() } catch { throw .ledger(.database(error), place.path) }
    }

    private static let program = "gst-capture \(Version.current)"
}

/// The state of a ledger, by which a run recognizes it when it opens it again.
struct LedgerState: Sendable, Hashable {
    /// The IDs of the series and the run of new lines; `nil` before the first line.
    var series: Int64?, run: Int64?
    /// The number of lines, of all series.
    var lineCount: Int64 = 0
}

/// A line to add to a ledger.
enum LedgerLine: Sendable, Hashable {
    case slot(LedgerEntry)
    case removal(LedgerRemoval)
}

extension Database {
    /// Makes transactions durable on commit: with a log beside the file (WAL) if that works, otherwise with a journal.
    ///
    /// - Parameter isShared: `true` if other machines may have the file, too, or if memory cannot be shared through it.
    ///   The log needs shared memory.
    fileprivate func makeDurable(isShared: Bool) throws(DatabaseError) {
        // SQLite empties the log every few pages: small disks have little room for it.
        try run("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 25; PRAGMA journal_size_limit = 0")
        if !isShared, (try? setJournal("WAL")) == "wal" { return }
        _ = try setJournal("TRUNCATE")
    }

    /// Adds the indices that a ledger of an earlier version lacks, all or none.
    ///
    /// If there is no room for them, or other programs keep the file locked, the ledger stays as it is: resuming is
    /// then slower, and all else is the same.
    ///
    /// - Returns: The version after the call.
    fileprivate func migrate(_ version: Int64) throws(DatabaseError) -> Int64 {
        guard version < LedgerSchema.version else { return version }
        do throws(DatabaseError) {
            try transaction { () throws(DatabaseError) in try run(LedgerSchema.migration) }
            return LedgerSchema.version
        } catch {
            guard error.kind != SQLITE_INTERRUPT else { throw error }
            return version
        }
    }

    /// Returns the number of lines, which is the sum of the highest IDs: lines are never removed.
    fileprivate func lineCount() throws(DatabaseError) -> Int64 {
        try number("SELECT ifnull((SELECT max(id) FROM slots), 0) + ifnull((SELECT max(id) FROM removals), 0)") ?? 0
    }

    private func setJournal(_ mode: String) throws(DatabaseError) -> String? {
        let statement = try prepare("PRAGMA journal_mode = \(mode)")
        return try statement.next() ? statement.text(0) : nil
    }
}
