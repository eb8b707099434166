// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The position of a series that an earlier run began. A run that resumes it has the same phase and numbering.
///
/// The position uses the wall clock, because no other clock survives a reboot.
public struct SeriesPosition: Sendable, Hashable {
    /// The moment from which the slots are counted.
    public var anchor: WallTime
    /// The number of the last slot that the ledger accounts for; -1 if there is none.
    public var lastIndex: Int
    /// When that slot was due; the anchor if there is none.
    public var lastDue: WallTime
    /// The number of the next picture; `nil` if none was captured yet.
    public var nextSequence: Int?

    /// Creates a position.
    public init(anchor: WallTime, lastIndex: Int, lastDue: WallTime, nextSequence: Int? = nil) {
        self.anchor = anchor
        self.lastIndex = lastIndex
        self.lastDue = lastDue
        self.nextSequence = nextSequence
    }

    /// Returns how far the last slot is ahead of a clock that cannot be right: a board without a battery starts with an
    /// earlier time, and a clock that was ahead is set back. `nil` for at most one interval, by which a clock may be
    /// corrected while no process runs.
    func lead(over now: WallMoment, _ schedule: Schedule) -> Duration? {
        guard lastIndex >= 0, let interval = schedule.interval else { return nil }
        let lead = WallMoment(lastDue) - now
        return lead > interval ? lead : nil
    }
}

/// How a running series continues after its settings changed.
package enum SeriesSuccession: Sendable, Hashable {
    /// The series keeps its phase.
    case samePhase
    /// The series continues at the next moment of the new schedule.
    case newPhase

    /// Compares the schedules before and after the change.
    package init(from earlier: Schedule, to later: Schedule) {
        self = later.hasMoments(of: earlier) ? .samePhase : .newPhase
    }
}
