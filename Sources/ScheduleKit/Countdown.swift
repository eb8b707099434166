// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The whole seconds before a moment. Each is reported at most once: if several are overdue, only the last one is.
/// Pure: the caller passes the time.
package struct Countdown: Sendable {
    private var target: ClockTime
    /// The seconds that are not reported yet.
    private var seconds: Int64

    /// Creates an empty countdown.
    package init() { (target, seconds) = (.zero, 0) }

    /// Counts the seconds before `target`: those of the last `span`, without those that have passed at `now`.
    package init(to target: ClockTime, of span: Duration, from now: ClockTime) {
        self.target = target
        seconds = max(0, min(span, target - now).components.seconds)
    }

    /// When the next second is due; `nil` if none is left.
    package var next: ClockTime? { seconds > 0 ? target - .seconds(seconds) : nil }

    /// Moves the target earlier by `span`.
    package mutating func bringForward(by span: Duration) { target = target - span }

    /// Returns the second that is due, the last of several; `nil` if none is due.
    package mutating func dueSecond(at now: ClockTime) -> Duration? {
        var due: Duration?
        while let next, now >= next {
            due = .seconds(seconds)
            seconds -= 1
        }
        return due
    }
}
