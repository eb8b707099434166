// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The whole seconds before a moment, each told once. Pure: it has no clock of its own.
struct Countdown: Sendable {
    private var target: ClockTime
    /// The seconds that are not told yet.
    private var seconds: Int64

    /// Nothing to count.
    init() { (target, seconds) = (.zero, 0) }

    /// Counts the last seconds before `target`, at most those of `span`, and none that are over at `now`.
    init(to target: ClockTime, of span: Duration, from now: ClockTime) {
        self.target = target
        seconds = max(0, min(span, target - now).components.seconds)
    }

    /// When the next second has to be told; `nil` where none is left.
    var next: ClockTime? { seconds > 0 ? target - .seconds(seconds) : nil }

    /// Counts to a moment so much earlier.
    mutating func bringForward(by span: Duration) { target = target - span }

    /// The second that has come, if any; of several at once, the last.
    mutating func tell(at now: ClockTime) -> Duration? {
        var told: Duration?
        while let next, now >= next {
            told = .seconds(seconds)
            seconds -= 1
        }
        return told
    }
}
