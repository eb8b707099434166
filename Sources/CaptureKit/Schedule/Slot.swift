// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// One due moment of a schedule.
public struct Slot: Sendable, Hashable {
    /// Why a picture is taken.
    public enum Cause: String, Sendable, Hashable {
        /// The schedule says so.
        case schedule
        /// Somebody asked for one, now or after a countdown.
        case trigger
    }

    /// Its number: slots of the schedule, or of a repetition, count from 0; those that were asked for count by
    /// themselves.
    public let index: Int
    /// When it is due, on the system's monotonic clock.
    public let due: ClockTime
    /// Why it is taken.
    public let cause: Cause

    /// When it is due by the wall clock of the schedule, which reaches back beyond the start of the machine.
    private let moment: WallMoment?

    /// Creates a slot.
    public init(index: Int, due: ClockTime, cause: Cause = .schedule) {
        self.init(index: index, due: due, cause: cause, moment: nil)
    }

    init(index: Int, due: ClockTime, cause: Cause = .schedule, moment: WallMoment?) {
        self.index = index
        self.due = due
        self.cause = cause
        self.moment = moment
    }
}

extension Slot {
    /// When it is due by the wall clock, in the zone of this machine.
    ///
    /// Exact even for slots of an earlier run, or of a time when the machine was suspended, which ``due`` cannot always say.
    public var dueTime: WallTime { moment.map { WallTime($0) } ?? WallTime.of(due) }

    /// True where number, moment and cause are the same.
    public static func == (left: Slot, right: Slot) -> Bool {
        left.index == right.index && left.due == right.due && left.cause == right.cause
    }

    /// Hashes what makes it the same as another.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(index)
        hasher.combine(due)
        hasher.combine(cause)
    }
}
