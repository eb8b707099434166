// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What happens to clocks.
enum ClockChange: Sendable {
    /// The machine was suspended for so long: the monotonic clock stood still, the wall clock went on.
    case suspended(Duration)
    /// The wall clock was set.
    case set(TimeLine)
}
