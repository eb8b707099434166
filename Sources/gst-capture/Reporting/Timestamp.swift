// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit

/// Times in ISO 8601.
enum Timestamp {
    /// Returns date, time with milliseconds and zone, such as `2026-11-21T05:17:24.123+01:00`.
    static func iso8601(_ time: WallTime) -> String { time.iso8601 }

    /// Returns the time of day, such as `05:17:24`.
    static func clock(_ time: WallTime) -> String { String(iso8601(time).dropFirst(11).prefix(8)) }

    /// Returns the time of day, with the date if it is not today: `05:17:24`, `2026-11-22 05:17:24`.
    static func soon(_ time: WallTime, after now: WallTime) -> String {
        let (date, today) = (iso8601(time).prefix(10), iso8601(now).prefix(10))
        return date == today ? clock(time) : "\(date) \(clock(time))"
    }

    /// Converts a time of the monotonic clock, by the current offset between the two clocks.
    static func iso8601(_ moment: ClockTime) -> String {
        iso8601(WallTime.now().adding(moment - PipelineClock.system.now))
    }

    /// Returns the time between two moments; zero if it overflows.
    static func span(from first: WallTime, to last: WallTime) -> Duration {
        let (seconds, overflow) = last.seconds.subtractingReportingOverflow(first.seconds)
        return overflow ? .zero : .seconds(seconds) + .nanoseconds(Int64(last.nanoseconds) - Int64(first.nanoseconds))
    }
}
