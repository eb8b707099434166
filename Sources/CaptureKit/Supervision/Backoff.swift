// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The pauses between attempts: the first are short, as most faults pass in a moment, and none is longer than half a
/// minute, as nobody wants to wait longer for a camera that was plugged in again.
enum Backoff {
    static let longest = Duration.seconds(30)
    private static let shortest = Duration.milliseconds(500)

    /// The pause after the so many-th failure in a row, from 1.
    static func pause(after failures: Int) -> Duration {
        min(longest, shortest * (1 << min(max(0, failures - 1), 10)))
    }
}
