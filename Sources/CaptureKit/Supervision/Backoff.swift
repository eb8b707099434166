// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The pauses between attempts. The first ones are short, because most faults pass in a moment. None is longer than
/// half a minute, so that a camera that is plugged in again is back soon.
enum Backoff {
    static let longest = Duration.seconds(30)
    private static let shortest = Duration.milliseconds(500)

    /// Returns the pause after this many failures in a row, counted from 1.
    static func pause(after failures: Int) -> Duration {
        min(longest, shortest * (1 << min(max(0, failures - 1), 10)))
    }
}
