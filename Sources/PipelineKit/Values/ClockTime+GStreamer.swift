// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import SystemBase

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
