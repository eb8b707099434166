// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Selects frames at an even pace, at most a given number a second. Pure.
package struct FramePace: Sendable {
    private let interval: Duration
    private var due: ClockTime?

    /// - Parameter rate: The maximum number of frames a second; at least 1.
    package init(rate: Int) { interval = .nanoseconds(1_000_000_000 / Int64(rate)) }

    /// Returns `true` if the frame is due. A frame may be early by a quarter of the interval: cameras are not exact.
    package mutating func takes(_ time: ClockTime) -> Bool {
        // Restarts after a gap, or if times jump.
        guard let due, time < due + interval, due < time + interval * 2 else {
            due = time + interval
            return true
        }
        guard time + interval / 4 >= due else { return false }
        self.due = due + interval
        return true
    }
}
