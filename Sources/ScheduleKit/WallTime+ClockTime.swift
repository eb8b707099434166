// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension WallTime {
    /// Converts a moment of the monotonic clock to the wall clock, by the current distance between the two.
    package static func of(_ time: ClockTime) -> WallTime { WallTime(TimeLine.current().wall(time)) }
}
