// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import DatabaseKit

/// A series in a ledger.
public struct LedgerSeries: Sendable, Hashable {
    /// Its number in the ledger, from 1.
    public let id: Int
    /// The moment from which its slots are counted.
    public let anchor: WallTime
    /// The program that began it, with its version.
    public let program: String
    /// The description of the series.
    public let description: SeriesDescription

    /// The columns that ``init(_:)`` reads.
    static let columns = "id, anchor_ns, anchor_zone, program, template, interval_ns, schedule"

    init(_ row: borrowing DatabaseStatement) throws(DatabaseError) {
        id = try row.count(0)
        anchor = try row.requiredMoment(1)
        program = try row.requiredText(3)
        description = try SeriesDescription(row, from: 4)
    }
}

/// A process that captured pictures of a series.
public struct LedgerRun: Sendable, Hashable {
    /// The end of a run.
    public struct End: Sendable, Hashable {
        /// When it ended.
        public let time: WallTime
        /// `completed`, `stopped` or `failed`.
        public let ending: String
        /// The error that ended it, if one did.
        public let message: String?
    }

    /// Its number in the ledger, from 1.
    public let id: Int
    /// The number of its series.
    public let series: Int
    /// When it began.
    public let start: WallTime
    /// The ID of the process.
    public let process: Int
    /// The program, with its version.
    public let program: String
    /// The end of the run; `nil` while it runs, or if it was killed.
    public let end: End?

    init(_ row: borrowing DatabaseStatement) throws(DatabaseError) {
        id = try row.count(0)
        series = try row.count(1)
        start = try row.requiredMoment(2)
        process = try row.count(4)
        program = try row.requiredText(5)
        let ended = try row.moment(6)
        end = try ended.map { time throws(DatabaseError) in
            End(time: time, ending: try row.requiredText(8), message: try row.text(9))
        }
    }
}
