// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// A source of time for pipelines (`GstClock`).
public final class PipelineClock: Object, @unchecked Sendable {
    /// The system's monotonic clock (`CLOCK_MONOTONIC`), which every pipeline of this library uses
    /// (`gst_system_clock_obtain`).
    ///
    /// It counts from the start of the machine and stands still while the machine is suspended; nothing sets it.
    public static let system: PipelineClock = {
        // Without GStreamer there is no pipeline either, and whoever makes one is told.
        try? GStreamer.initialize()
        return PipelineClock(gst_system_clock_obtain(), .full)
    }()

    /// The moment now (`gst_clock_get_time`); never goes back.
    public var now: ClockTime { ClockTime(nanoseconds: UInt64(gst_clock_get_time(cast()))) }
}
