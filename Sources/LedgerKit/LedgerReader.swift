// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit
import ScheduleKit

/// Reads a ledger, also while a capture writes it, in this process or another.
///
/// The file may contain anything: invalid data is an error. Every call blocks. A reader belongs to one thread at a
/// time. A call throws soon after its task is canceled.
public final class LedgerReader {
    /// The path of the ledger.
    public let path: String
    /// The absolute path of the folder of the ledger's pictures. The ledger has their paths relative to it, so that the
    /// user can move the folder.
    public var folder: String { place.baseFolder }
    private let place: LedgerPlace
    private let database: Database
    private let version: Int64

    /// Opens a ledger.
    ///
    /// - Throws: `CaptureError` if there is no ledger, or it is damaged or of a newer version.
    public init(_ path: String) throws(CaptureError) {
        self.path = path
        place = LedgerPlace(path)
        _ = try RegularFile.sizeWithoutOpening(path)
        (database, version) = try Self.open(path)
        database.stopsWhenCancelled(true)
    }

    /// A line of the ledger.
    public struct Line: Sendable, Hashable {
        /// Its number in the ledger, from 1, in the order in which lines were written. It never changes.
        public let id: Int
        /// The number of its series in the ledger, from 1.
        public let series: Int
        /// The number of its run in the ledger, from 1.
        public let run: Int
        /// The slots and their outcome.
        public let entry: LedgerEntry
        /// The removal of the picture; `nil` if it was not removed.
        public let removal: LedgerRemoval?
        /// `true` if a later line has a file of the same name, which replaced this one.
        public let isReplaced: Bool

        /// The picture, if there is one.
        public var still: LedgerStill? { if case .captured(let still) = entry.outcome { still } else { nil } }
    }

    /// Returns the series in the ledger, in the order in which they began.
    ///
    /// - Throws: `CaptureError` if the ledger is damaged.
    public func series() throws(CaptureError) -> [LedgerSeries] {
        try reading { () throws(DatabaseError) in
            var list: [LedgerSeries] = []
            let rows = try database.prepare("SELECT \(LedgerSeries.columns) FROM series ORDER BY id")
            while try rows.next() { list.append(try LedgerSeries(rows)) }
            return list
        }
    }

    /// Returns the series that began last; `nil` if there is none.
    package func lastSeries() throws(CaptureError) -> LedgerSeries? {
        try reading { () throws(DatabaseError) in
            let rows = try database.prepare("SELECT \(LedgerSeries.columns) FROM series ORDER BY id DESC LIMIT 1")
            return try rows.next() ? LedgerSeries(rows) : nil
        }
    }

    /// Returns the runs in the ledger, in the order in which they began.
    ///
    /// - Throws: `CaptureError` if the ledger is damaged.
    public func runs() throws(CaptureError) -> [LedgerRun] {
        try reading { () throws(DatabaseError) in
            var list: [LedgerRun] = []
            let rows = try database.prepare(
                """
                SELECT id, series, start_ns, start_zone, process, program, end_ns, end_zone, ending, message
                FROM runs LEFT JOIN run_ends ON run = id ORDER BY id
                """)
            while try rows.next() { list.append(try LedgerRun(rows)) }
            return list
        }
    }

    /// Returns the position of the last series; `nil` if there is none, or if no slot of its schedule
    /// has a line.
    ///
    /// - Throws: `CaptureError` if the ledger is damaged.
    public func position() throws(CaptureError) -> SeriesPosition? {
        try reading { () throws(DatabaseError) in
            try SeriesPosition(
                of: database.number("SELECT max(id) FROM series") ?? 0, in: database, version: version)
        }
    }

    /// Calls `body` with each picture of all series that should exist, from old to new. Lines with invalid values are
    /// passed over: one of them must not end a series with limits.
    package func eachStoredStill(_ body: (StoredStill) -> Void) throws(CaptureError) {
        try reading { () throws(DatabaseError) in
            let rows = try database.prepare(
                """
                SELECT file, bytes, captured_ns, captured_zone, sha256,
                    EXISTS(SELECT 1 FROM removals WHERE removals.slot = slots.id)
                    OR EXISTS(SELECT 1 FROM slots AS later WHERE later.file = slots.file AND later.id > slots.id),
                    id
                FROM slots WHERE outcome = 'captured' AND file IS NOT NULL ORDER BY id
                """)
            var ordinal = 0
            while try rows.next() {
                if try rows.requiredInteger(5) == 0, let still = try? StoredStill(rows, ordinal, place) { body(still) }
                ordinal += 1
            }
        }
    }

    /// Calls `body` with each line that a filter selects, in the filter's order, without lines that are written
    /// meanwhile. Until the call returns, SQLite cannot empty the log of a process that writes the ledger; on a network
    /// file system, that process cannot write lines.
    ///
    /// - Throws: `CaptureError` if the ledger is damaged, after `body` has received the lines before the damage;
    ///   and the error of `body`.
    public func eachLine(
        _ filter: LedgerFilter = LedgerFilter(), _ body: (Line) throws(CaptureError) -> Void
    ) throws(CaptureError) {
        let rows = try reading { () throws(DatabaseError) in try database.prepare(filter.query, filter.values) }
        while try reading({ () throws(DatabaseError) in try rows.next() }) {
            if Task.isCancelled { throw .ledgerCanceled(path) }
            try body(try reading { () throws(DatabaseError) in try line(rows) })
        }
    }

    /// Calls `body` as ``eachLine(_:_:)`` does, but passes over lines with invalid values, which a failing disk or another
    /// program wrote.
    ///
    /// - Parameter damaged: Called with the number of each line with invalid values; `nil` if that is invalid, too.
    /// - Throws: `CaptureError` if the file is damaged so that its lines cannot be found; and the error of `body`.
    package func eachSoundLine(
        _ filter: LedgerFilter, damaged: (Int?) -> Void = { _ in }, _ body: (Line) throws(CaptureError) -> Void
    ) throws(CaptureError) {
        let rows = try reading { () throws(DatabaseError) in try database.prepare(filter.query, filter.values) }
        while try reading({ () throws(DatabaseError) in try rows.next() }) {
            if Task.isCancelled { throw .ledgerCanceled(path) }
            let line: Line
            do throws(DatabaseError) {
                line = try self.line(rows)
            } catch {
                damaged(try? rows.count(31))
                continue
            }
            try body(line)
        }
    }

    /// Returns the number of the newest line before a number; `nil` if there is none.
    package func newestLine(before number: Int = .max) throws(CaptureError) -> Int? {
        try reading { () throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT max(id) AS id FROM slots WHERE id BETWEEN 1 AND ?", [.init(min(number, 1 << 60) - 1)])
            return try rows.next() && !rows.isNull(0) ? rows.count(0) : nil
        }
    }

    /// Returns the number of lines in a range that have a file. The file may have been removed since.
    package func pictureCount(in lines: ClosedRange<Int>) throws(CaptureError) -> Int {
        try reading { () throws(DatabaseError) in
            let rows = try database.prepare(
                "SELECT count(*) AS id FROM slots WHERE id BETWEEN ? AND ? AND file IS NOT NULL",
                [.init(lines.lowerBound), .init(lines.upperBound)])
            return try rows.next() ? try rows.count(0) : 0
        }
    }

    /// Returns the numbers of the newest line and the newest removal.
    package func mark() throws(CaptureError) -> LedgerMark {
        try reading { () throws(DatabaseError) in
            LedgerMark(
                line: try database.number("SELECT max(id) FROM slots") ?? 0,
                removal: try database.number("SELECT max(id) FROM removals") ?? 0)
        }
    }

    /// Returns the number of the oldest line from a number on; `nil` if there is none.
    package func oldestLine(from number: Int) throws(CaptureError) -> Int? {
        try reading { () throws(DatabaseError) in
            let rows = try database.prepare("SELECT min(id) AS id FROM slots WHERE id >= ?", [.init(max(1, number))])
            return try rows.next() && !rows.isNull(0) ? rows.count(0) : nil
        }
    }

    /// Returns a text that distinguishes this ledger from others at the same path: the start and the process of its
    /// first run. `nil` if there is no run yet.
    package func identity() throws(CaptureError) -> String? {
        try reading { () throws(DatabaseError) in
            let rows = try database.prepare("SELECT start_ns, process FROM runs ORDER BY id LIMIT 1")
            guard try rows.next() else { return nil }
            return "\(try rows.requiredInteger(0)) \(try rows.requiredInteger(1))"
        }
    }

    /// Returns the lines whose pictures were removed after a removal, in the order of the removals.
    ///
    /// - Parameters:
    ///   - removal: The number of the last known removal; 0 for none.
    ///   - most: The maximum number of lines.
    /// - Returns: The numbers of the lines, and the number of the last removal; `removal` if there is no other. A removal
    ///   of a picture that no line has is passed over.
    package func removals(after removal: Int, most: Int) throws(CaptureError) -> (lines: [Int], last: Int) {
        try reading { () throws(DatabaseError) in
            var (lines, last) = ([Int](), removal)
            let rows = try database.prepare(
                "SELECT id, slot FROM removals WHERE id > ? ORDER BY id LIMIT ?", [.init(removal), .init(most)])
            while try rows.next() {
                last = try rows.count(0)
                if !rows.isNull(1) { lines.append(try rows.count(1)) }
            }
            return (lines, last)
        }
    }

    /// Returns the lines whose pictures a person has deleted after a removal, in the order of the deletions.
    ///
    /// - Parameters:
    ///   - removal: The number of the last known removal; 0 for none.
    ///   - most: The maximum number of lines.
    /// - Returns: The numbers of the lines, and the number of the last removal that was read.
    package func requestedRemovals(after removal: Int, most: Int) throws(CaptureError) -> (lines: [Int], last: Int) {
        try reading { () throws(DatabaseError) in
            try database.snapshot { () throws(DatabaseError) in
                var (lines, last, count) = ([Int](), removal, 0)
                let rows = try database.prepare(
                    "SELECT id, slot FROM removals WHERE id > ? AND reason = ? ORDER BY id LIMIT ?",
                    [.init(removal), .text(LedgerRemoval.request), .init(most)])
                while try rows.next() {
                    (last, count) = (try rows.count(0), count + 1)
                    if !rows.isNull(1) { lines.append(try rows.count(1)) }
                }
                guard count < most else { return (lines, last) }
                return (lines, max(last, Int(try database.number("SELECT max(id) FROM removals") ?? 0)))
            }
        }
    }

    /// Returns the lines of pictures that have a file, from old to new.
    ///
    /// - Parameter path: The absolute path of the file.
    package func lines(ofFile path: String) throws(CaptureError) -> [(id: Int, sha256: String?)] {
        try reading { () throws(DatabaseError) in
            var lines: [(Int, String?)] = []
            let rows = try database.prepare(
                "SELECT id, sha256 FROM slots WHERE file = ? ORDER BY id", [.text(place.relative(path))])
            while try rows.next() { lines.append((try rows.count(0), try rows.text(1))) }
            return lines
        }
    }

    /// Returns the totals of all lines that a filter selects. All slots of a line count.
    ///
    /// - Throws: `CaptureError` if the ledger is damaged.
    public func totals(_ filter: LedgerFilter = LedgerFilter()) throws(CaptureError) -> LedgerTotals {
        var totals = LedgerTotals()
        try eachLine(filter) { totals.add($0) }
        return totals
    }

    private func line(_ rows: borrowing DatabaseStatement) throws(DatabaseError) -> Line {
        var entry = try LedgerEntry(rows, from: 6)
        let removed = try rows.moment(2).map { time throws(DatabaseError) in
            LedgerRemoval(file: place.absolute(try rows.requiredText(5)), time: time, reason: try rows.requiredText(4))
        }
        var isReplaced = false
        if case .captured(var still) = entry.outcome {
            isReplaced = try rows.requiredInteger(30) != 0
            still.file = still.file.map(place.absolute)
            entry.outcome = .captured(still)
        }
        return Line(
            id: try rows.count(31), series: try rows.count(0), run: try rows.count(1), entry: entry, removal: removed,
            isReplaced: isReplaced)
    }

    private func reading<Result: ~Copyable>(
        _ body: () throws(DatabaseError) -> Result
    ) throws(CaptureError) -> Result {
        do throws(DatabaseError) { return try body() } catch { throw .ledger(.database(error), path) }
    }

    /// Tries three ways to open a file. The first leaves no files behind. The others need no access for writing: the
    /// second works while another process writes the ledger, the last does not see lines that a killed writer has left
    /// in its log.
    private static func open(_ path: String) throws(CaptureError) -> (Database, version: Int64) {
        do throws(LedgerFault) {
            if let opened = try accessible(path, .read) { return opened }
            if let opened = try accessible(path, .readOnly) { return opened }
            return try checked(path, .immutable)
        } catch {
            throw .ledger(error, path)
        }
    }

    /// Opens a file; `nil` if this process may not open it in this way.
    private static func accessible(
        _ path: String, _ access: Database.Access
    ) throws(LedgerFault) -> (Database, version: Int64)? {
        do throws(LedgerFault) {
            return try checked(path, access)
        } catch {
            guard case .database(let failure) = error, failure.isOfAccess else { throw error }
            return nil
        }
    }

    private static func checked(
        _ path: String, _ access: Database.Access
    ) throws(LedgerFault) -> (Database, version: Int64) {
        let database = try LedgerFault.catching { () throws(DatabaseError) in try Database(path, access) }
        guard let version = try LedgerSchema.check(database) else { throw .empty }
        return (database, version)
    }
}

/// The newest line and the newest removal of a ledger. If both are unchanged, no process has added any.
package struct LedgerMark: Sendable, Hashable {
    fileprivate let line: Int64, removal: Int64
}

extension StoredStill {
    fileprivate init(
        _ row: borrowing DatabaseStatement, _ ordinal: Int, _ place: LedgerPlace
    ) throws(DatabaseError) {
        self.init(
            ordinal: ordinal, path: place.absolute(try row.requiredText(0)), byteCount: try row.count(1),
            captured: try row.requiredMoment(2).seconds)
        hash = try row.text(4).flatMap { FileHash($0) }
        ledgerLine = try row.count(6)
    }
}
