// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// A moment or a span on GStreamer's time line, in nanoseconds (`GstClockTime`).
///
/// "No time" (`GST_CLOCK_TIME_NONE`) is `nil` in this library.
public struct ClockTime: Sendable, Hashable, Comparable {
    /// Nanoseconds.
    public var nanoseconds: UInt64

    /// Creates a time from nanoseconds.
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// The current time of the system's monotonic clock (`CLOCK_MONOTONIC`), which GStreamer's clock reads, too.
    public static var now: ClockTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return ClockTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    /// The start of the time line.
    public static let zero = ClockTime(nanoseconds: 0)

    /// `true` if `left` is earlier than `right`.
    public static func < (left: ClockTime, right: ClockTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The moment `span` later, clamped to the range from 0 to `Int64.max` nanoseconds (292 years).
    public static func + (time: ClockTime, span: Duration) -> ClockTime {
        let (sum, overflow) = Int64(clamping: time.nanoseconds).addingReportingOverflow(span.nanoseconds)
        if overflow { return ClockTime(nanoseconds: span < .zero ? 0 : UInt64(Int64.max)) }
        return ClockTime(nanoseconds: UInt64(max(0, sum)))
    }

    /// The moment `span` earlier, clamped to the same range.
    public static func - (time: ClockTime, span: Duration) -> ClockTime { time + (.zero - span) }

    /// The duration from `other` to this moment; negative if this moment is earlier.
    public static func - (time: ClockTime, other: ClockTime) -> Duration {
        .nanoseconds(Int64(clamping: time.nanoseconds)) - .nanoseconds(Int64(clamping: other.nanoseconds))
    }
}

extension ClockTime: CustomStringConvertible {
    /// Seconds with nine digits, such as `12.040000000`.
    public var description: String {
        let fraction = String(nanoseconds % 1_000_000_000)
        return "\(nanoseconds / 1_000_000_000)." + String(repeating: "0", count: 9 - fraction.count) + fraction
    }
}

extension Duration {
    /// Nanoseconds, clamped to the range of 64 bits (292 years).
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carry ? (seconds < 0 ? .min : .max) : sum
    }
}
