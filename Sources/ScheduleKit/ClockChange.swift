// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A change of the system's clocks.
package enum ClockChange: Sendable {
    /// The machine was suspended for this long: the monotonic clock stood still, the wall clock continued.
    case suspended(Duration)
    /// The wall clock was set, or its zone changed.
    case set(TimeLine)
}
