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
    /// The time is exact even for slots of an earlier run, or of a time when the machine was suspended. ``due`` cannot
    /// always represent these.
    public var dueTime: WallTime { moment.map { WallTime($0) } ?? WallTime.of(due) }

    /// `true` if number, moment and cause are the same.
    public static func == (left: Slot, right: Slot) -> Bool {
        left.index == right.index && left.due == right.due && left.cause == right.cause
    }

    /// Hashes number, moment and cause.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(index)
        hasher.combine(due)
        hasher.combine(cause)
    }
}
