// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Chooses frames to look at, no more than so many a second, as evenly as they come. Pure.
struct FramePace: Sendable {
    private let interval: Duration
    private var due: ClockTime?

    /// - Parameter rate: The most frames a second.
    init(rate: Int) { interval = .nanoseconds(1_000_000_000 / Int64(rate)) }

    /// Whether this one is looked at. A frame may come early by a quarter of the interval: cameras are not that exact.
    mutating func takes(_ time: ClockTime) -> Bool {
        // After a gap, or with other times, it begins anew.
        guard let due, time < due + interval, due < time + interval * 2 else {
            due = time + interval
            return true
        }
        guard time + interval / 4 >= due else { return false }
        self.due = due + interval
        return true
    }
}
