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

    /// Creates a slot.
    public init(index: Int, due: ClockTime, cause: Cause = .schedule) {
        self.index = index
        self.due = due
        self.cause = cause
    }
}
