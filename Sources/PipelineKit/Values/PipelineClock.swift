// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import SystemBase

/// A source of time for pipelines (`GstClock`).
public final class PipelineClock: Object, @unchecked Sendable {
    /// The system's monotonic clock (`CLOCK_MONOTONIC`), which every pipeline of this library uses
    /// (`gst_system_clock_obtain`).
    ///
    /// The clock counts from the start of the machine, and stops while the machine is suspended. It cannot be set.
    public static let system: PipelineClock = {
        // If GStreamer does not start, creating a pipeline throws the error.
        try? GStreamer.initialize()
        return PipelineClock(gst_system_clock_obtain(), .full)
    }()

    /// The current time (`gst_clock_get_time`), which never goes back.
    public var now: ClockTime { ClockTime(nanoseconds: UInt64(gst_clock_get_time(cast()))) }
}

extension ClockTime {
    /// `nil` for `GST_CLOCK_TIME_NONE`.
    init?(_ time: GstClockTime) {
        guard time != cgst_clock_time_none else { return nil }
        self.init(nanoseconds: UInt64(time))
    }
}

extension Optional where Wrapped == ClockTime {
    /// `GST_CLOCK_TIME_NONE` for `nil`.
    var native: GstClockTime { map { GstClockTime($0.nanoseconds) } ?? cgst_clock_time_none }
}
