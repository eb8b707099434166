// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Which lines of a ledger are wanted; what is `nil` lets all through.
public struct LedgerFilter: Sendable, Hashable {
    /// What may have become of a slot.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// There is a picture, late ones included.
        case captured
        /// There is a picture, and it is late.
        case late
        /// It went by without one.
        case missed
        /// A frame was there, but no picture came of it.
        case failed
    }

    /// Which lines come first.
    public enum Order: Sendable, Hashable {
        /// Those that were written first.
        case written
        /// Of each series those whose slots were due first.
        case slots
    }

    /// What became of them; empty for all.
    public var outcomes: Set<Outcome> = []
    /// Due then or later.
    public var since: WallTime?
    /// Due before that.
    public var until: WallTime?
    /// With one of these numbers.
    public var slots: ClosedRange<Int>?
    /// The last so many lines.
    public var limit: Int?
    /// Which lines come first.
    public var order = Order.written

    /// Creates a filter that lets all through.
    public init() {}
}

extension LedgerFilter {
    /// Series, run, removal and file, the columns of an entry, and whether its file was replaced.
    var query: String {
        """
        SELECT series, run, removed_ns, removed_zone, removals.reason, removals.file, \(Self.entryColumns),
            slot.file IS NOT NULL AND EXISTS(SELECT 1 FROM slots AS later WHERE later.file = slot.file AND later.id > slot.id)
        FROM (SELECT slots.*, runs.series FROM slots JOIN runs ON runs.id = slots.run WHERE \(condition)
            \(newest)) AS slot
        LEFT JOIN removals ON removals.id = (SELECT max(id) FROM removals WHERE removals.slot = slot.id)
        ORDER BY \(keys(slot: "slot", series: "slot").joined(separator: ", "))
        """
    }

    /// Counts the lines of the limit from the last one on.
    private var newest: String {
        guard let limit else { return "" }
        return
            "ORDER BY \(keys(slot: "slots", series: "runs").map { $0 + " DESC" }.joined(separator: ", ")) LIMIT \(max(0, limit))"
    }

    /// What lines are sorted by, of these tables.
    private func keys(slot: String, series: String) -> [String] {
        order == .written ? ["\(slot).id"] : ["\(series).series", "\(slot).due_ns", "\(slot).id"]
    }

    /// What stands for the question marks.
    var values: [DatabaseValue] {
        [since, until].compactMap { $0.map { .integer($0.nanosecondsSince1970) } }
            + (slots.map { [.init($0.lowerBound), .init($0.upperBound)] } ?? [])
    }

    private var condition: String {
        var conditions = ["TRUE"]
        if !outcomes.isEmpty { conditions.append("(" + outcomes.map(Self.condition).joined(separator: " OR ") + ")") }
        if since != nil { conditions.append("last_due_ns >= ?") }
        if until != nil { conditions.append("due_ns < ?") }
        if slots != nil { conditions.append("last >= ? AND first <= ?") }
        return conditions.joined(separator: " AND ")
    }

    private static func condition(_ outcome: Outcome) -> String {
        outcome == .late ? "late = 1" : "outcome = '\(outcome.rawValue)'"
    }

    private static let entryColumns = LedgerEntry.columns.split(separator: ", ").map { column in
        // What is no JSON would spoil that of others.
        column == "controls" ? "CASE WHEN json_valid(slot.controls) THEN json(slot.controls) END" : "slot.\(column)"
    }.joined(separator: ", ")
}
