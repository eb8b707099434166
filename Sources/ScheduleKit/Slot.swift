// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// One due moment of a schedule.
public struct Slot: Sendable, Hashable {
    /// The reason why a picture is captured.
    public enum Cause: String, Sendable, Hashable {
        /// The picture is due by the schedule.
        case schedule
        /// The user or a program requested the picture, now or after a countdown.
        case trigger
    }

    /// The slot's number. Slots of the schedule, or of a repetition, count from 0; requested slots have a separate
    /// count.
    public let index: Int
    /// When the slot is due, on the system's monotonic clock.
    public let due: ClockTime
    /// The reason why the picture is captured.
    public let cause: Cause

    /// When the slot is due by the wall clock of the schedule, which can be before the machine booted.
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
    /// When the slot is due by the wall clock, in the zone of this machine.
    ///
    /// For slots of a schedule it is exact, even if they were due in an earlier run or while the machine was suspended,
    /// which ``due`` cannot always represent. For others it is computed from ``due``.
    public var dueTime: WallTime { moment.map { WallTime($0) } ?? WallTime.of(due) }

    /// `true` if ``index``, ``due`` and ``cause`` are the same.
    public static func == (left: Slot, right: Slot) -> Bool {
        left.index == right.index && left.due == right.due && left.cause == right.cause
    }

    /// Hashes ``index``, ``due`` and ``cause``.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(index)
        hasher.combine(due)
        hasher.combine(cause)
    }
}
