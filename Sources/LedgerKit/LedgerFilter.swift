// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

/// Selects lines of a ledger. A property that is `nil` selects all lines.
public struct LedgerFilter: Sendable, Hashable {
    /// The outcome of a slot.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The slot has a picture, on time or late.
        case captured
        /// The slot has a late picture.
        case late
        /// The slot was missed.
        case missed
        /// The camera delivered a frame, but its picture could not be stored.
        case failed
    }

    /// The order of lines.
    public enum Order: Sendable, Hashable {
        /// In the order in which they were written.
        case written
        /// By series, and within a series by due moment.
        case slots
    }

    /// The outcomes of the lines; empty for all.
    public var outcomes: Set<Outcome> = []
    /// Only lines whose last slot was due at this moment or later.
    public var since: WallTime?
    /// Only lines whose first slot was due before this moment.
    public var until: WallTime?
    /// Only lines with at least one slot of these numbers. A line of many slots also has others.
    public var slots: ClosedRange<Int>?
    /// Only lines with these identifiers; see `LedgerReader.Line.id`.
    package var identifiers: ClosedRange<Int>?
    /// `true` for only the lines whose pictures should exist: they have a file, which was neither removed nor replaced.
    package var areStored = false
    /// The maximum number of lines; the last ones are kept.
    public var limit: Int?
    /// The order of the lines.
    public var order = Order.written

    /// Creates a filter that selects all lines.
    public init() {}
}

extension LedgerFilter {
    /// The query for series, run, removal and file, the columns of an entry, and whether its file was replaced.
    var query: String {
        """
        SELECT series, run, removed_ns, removed_zone, removals.reason, removals.file, \(Self.entryColumns),
            slot.file IS NOT NULL AND EXISTS(SELECT 1 FROM slots AS later WHERE later.file = slot.file AND later.id > slot.id),
            slot.id
        FROM (SELECT slots.*, runs.series FROM slots JOIN runs ON runs.id = slots.run WHERE \(condition)
            \(newest)) AS slot
        LEFT JOIN removals ON removals.id = (SELECT max(id) FROM removals WHERE removals.slot = slot.id)
        ORDER BY \(keys(slot: "slot", series: "slot").joined(separator: ", "))
        """
    }

    /// The clause that limits the number of lines, counted from the last one.
    private var newest: String {
        guard let limit else { return "" }
        return
            "ORDER BY \(keys(slot: "slots", series: "runs").map { $0 + " DESC" }.joined(separator: ", ")) LIMIT \(max(0, limit))"
    }

    /// Returns the sort keys of lines, in these tables.
    private func keys(slot: String, series: String) -> [String] {
        order == .written ? ["\(slot).id"] : ["\(series).series", "\(slot).due_ns", "\(slot).id"]
    }

    /// The values of the question marks in ``query``.
    var values: [DatabaseValue] {
        // Appending an empty array to one writes to the storage that all empty arrays share, which ThreadSanitizer
        // reports as a race.
        var values: [DatabaseValue] = []
        for moment in [since, until].compactMap({ $0 }) { values.append(.integer(moment.nanosecondsSince1970)) }
        for range in [slots, identifiers].compactMap({ $0 }) {
            values += [.init(range.lowerBound), .init(range.upperBound)]
        }
        return values
    }

    private var condition: String {
        var conditions = ["TRUE"]
        if !outcomes.isEmpty { conditions.append("(" + outcomes.map(Self.condition).joined(separator: " OR ") + ")") }
        if since != nil { conditions.append("last_due_ns >= ?") }
        if until != nil { conditions.append("due_ns < ?") }
        if slots != nil { conditions.append("last >= ? AND first <= ?") }
        if identifiers != nil { conditions.append("slots.id BETWEEN ? AND ?") }
        if areStored { conditions.append(Self.stored) }
        return conditions.joined(separator: " AND ")
    }

    private static let stored = """
        file IS NOT NULL AND NOT EXISTS(SELECT 1 FROM removals WHERE removals.slot = slots.id)
        AND NOT EXISTS(SELECT 1 FROM slots AS later WHERE later.file = slots.file AND later.id > slots.id)
        """

    private static func condition(_ outcome: Outcome) -> String {
        outcome == .late ? "late = 1" : "outcome = '\(outcome.rawValue)'"
    }

    private static let entryColumns = LedgerEntry.columns.split(separator: ", ").map { column in
        // Invalid JSON would spoil the JSON of other lines.
        column == "controls" ? "CASE WHEN json_valid(slot.controls) THEN json(slot.controls) END" : "slot.\(column)"
    }.joined(separator: ", ")
}
