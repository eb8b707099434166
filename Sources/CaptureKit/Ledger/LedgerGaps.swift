// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Slots that the last run of a series has no line for, though later ones have: their pictures were still being written
/// when it was killed, or their lines could not be.
struct LedgerGaps {
    /// A line for each gap.
    private(set) var entries: [LedgerEntry] = []
    private let interval: Duration

    init(of series: Int64, every interval: Duration?, in database: Database) throws(DatabaseError) {
        self.interval = interval ?? .zero
        let last = try database.number("SELECT max(id) FROM runs WHERE series = \(series)") ?? 0
        let before = try database.number(
            """
            SELECT max(last) FROM slots JOIN runs ON runs.id = run
            WHERE series = \(series) AND run < \(last) AND cause = 'schedule'
            """)
        let rows = try database.prepare(
            "SELECT first, last, due_ns, due_zone FROM slots WHERE run = ? AND cause = 'schedule' ORDER BY first",
            [.integer(last)])
        let first = try database.number("SELECT first FROM series WHERE id = \(series)") ?? 0
        var reached = max(before ?? -1, first - 1)
        while try rows.next() {
            let first = Int64(try rows.count(0))
            if first > reached + 1 { add(Int(reached + 1)...Int(first - 1), before: try rows.requiredMoment(2)) }
            reached = max(reached, Int64(try rows.count(1)))
        }
    }

    /// Their moments are counted back from the slot behind them.
    private mutating func add(_ slots: ClosedRange<Int>, before due: WallTime) {
        func moment(_ index: Int) -> WallTime {
            due.adding(interval * min(slots.upperBound + 1 - index, 1 << 30) * -1)
        }
        entries.append(
            LedgerEntry(
                slots: slots, cause: .schedule, due: moment(slots.lowerBound), lastDue: moment(slots.upperBound),
                outcome: .missed(reason: MissReason.unrecorded.rawValue)))
    }
}
