// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase

/// Passes at most a number of frames a second, evenly. Pure.
package struct FrameRateLimit: Sendable {
    private let interval: Duration
    private var due: ClockTime?

    /// - Parameter rate: Frames per second; `nil` for all frames.
    package init(_ rate: Double?) {
        interval = rate.map { .nanoseconds(Int64(1_000_000_000 / max($0, 0.001))) } ?? .zero
    }

    /// Returns `true` if the frame of this time is due. Frames may be early by a quarter of the interval: those of a camera
    /// are never exactly in time.
    package mutating func accepts(_ time: ClockTime) -> Bool {
        guard interval > .zero else { return true }
        guard let due else {
            self.due = time + interval
            return true
        }
        guard time + interval / 4 >= due else { return false }
        // After a pause, the frames that were due meanwhile do not follow at once.
        self.due = (time > due + interval ? time : due) + interval
        return true
    }
}
