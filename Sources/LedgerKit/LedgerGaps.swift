// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit
import ScheduleKit

/// Slots for which the last run of a series has no line, though later slots have one: the process was killed while it
/// wrote their pictures, or their lines could not be written.
struct LedgerGaps {
    /// A line for each gap.
    private(set) var entries: [LedgerEntry] = []
    private let interval: Duration

    /// - Parameter version: The version of the ledger's schema.
    init(of series: Int64, every interval: Duration?, in database: Database, version: Int64) throws(DatabaseError) {
        self.interval = interval ?? .zero
        let run = try Self.lastRun(of: series, database)
        let covered = try Self.coveredBefore(run, of: series, database, version)
        try find(run, above: covered, database)
    }

    /// Searches from the last slot of the run down to the slots for which earlier runs have lines.
    private mutating func find(_ run: Int64, above covered: Int, _ database: Database) throws(DatabaseError) {
        let rows = try database.prepare(
            "SELECT first, last, id FROM slots WHERE run = ? AND cause = 'schedule' ORDER BY last DESC",
            [.integer(run)])
        var next: (first: Int, id: Int64)?
        while next.map({ $0.first > covered + 1 }) ?? true, try rows.next() {
            let (first, last, id) = (try rows.count(0), try rows.count(1), try rows.requiredInteger(2))
            guard first <= last else { throw rows.wrong(1) }
            if let next { try add(max(last, covered) + 1, before: next, database) }
            if next.map({ first < $0.first }) ?? true { next = (first, id) }
        }
        if let next { try add(covered + 1, before: next, database) }
        entries.reverse()
    }

    /// Adds the gap from `first` to the slot before `next`, if there is one. Its moments are counted back from `next`
    /// by the interval, without regard to open hours.
    private mutating func add(
        _ first: Int, before next: (first: Int, id: Int64), _ database: Database
    ) throws(DatabaseError) {
        guard first < next.first else { return }
        let rows = try database.prepare("SELECT due_ns, due_zone FROM slots WHERE id = ?", [.integer(next.id)])
        guard try rows.next() else { return }
        let due = try rows.requiredMoment(0)
        func moment(_ index: Int) -> WallTime { due.adding(interval * min(next.first - index, 1 << 30) * -1) }
        entries.append(
            LedgerEntry(
                slots: first...next.first - 1, cause: .schedule, due: moment(first), lastDue: moment(next.first - 1),
                outcome: .missed(reason: MissReason.unrecorded.rawValue)))
    }

    private static func lastRun(of series: Int64, _ database: Database) throws(DatabaseError) -> Int64 {
        let rows = try database.prepare(
            "SELECT id FROM runs WHERE series = ? ORDER BY id DESC LIMIT 1", [.integer(series)])
        return try rows.next() ? rows.requiredInteger(0) : 0
    }

    /// Returns the last slot for which the ledger has a line before a run begins; -1 if there is none.
    private static func coveredBefore(
        _ run: Int64, of series: Int64, _ database: Database, _ version: Int64
    ) throws(DatabaseError) -> Int {
        let lines = try database.prepare(
            version > 1
                ? """
                SELECT max((SELECT max(last) FROM slots WHERE run = runs.id AND cause = 'schedule')) AS last FROM runs
                WHERE series = ? AND id < ?
                """
                : """
                SELECT max(last) AS last FROM slots CROSS JOIN runs ON runs.id = slots.run
                WHERE runs.series = ? AND run < ? AND cause = 'schedule'
                """, [.integer(series), .integer(run)])
        let last = try lines.next() && !lines.isNull(0) ? lines.count(0) : -1
        let series = try database.prepare("SELECT first FROM series WHERE id = ?", [.integer(series)])
        return max(last, try series.next() ? series.count(0) - 1 : -1)
    }
}
