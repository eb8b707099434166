// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension WallTime {
    /// A moment of the monotonic clock by the wall clock, as both are now.
    static func of(_ time: ClockTime) -> WallTime { WallTime.now().adding(time - PipelineClock.system.now) }
}
