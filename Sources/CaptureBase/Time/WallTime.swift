// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import SystemBase

/// A time of the wall clock, with the UTC offset of its zone at that time.
public struct WallTime: Sendable, Hashable {
    /// Seconds since the start of 1970, UTC.
    public var seconds: Int64
    /// Nanoseconds within the second, 0 to 999,999,999.
    public var nanoseconds: Int32
    /// Seconds east of UTC.
    public var utcOffset: Int

    /// Creates a time from its parts.
    public init(seconds: Int64, nanoseconds: Int32, utcOffset: Int) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.utcOffset = utcOffset
    }

    /// Creates a time in the zone of this machine (`localtime_r`).
    public init(seconds: Int64, nanoseconds: Int32) {
        var (time, local) = (time_t(seconds), tm())
        localtime_r(&time, &local)
        self.init(seconds: seconds, nanoseconds: nanoseconds, utcOffset: Int(local.tm_gmtoff))
    }

    /// Returns the current time (`CLOCK_REALTIME`).
    public static func now() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    }

    /// Returns the time `span` later, or earlier if it is negative, in the zone of this machine; the time itself if the
    /// result is out of range.
    public func adding(_ span: Duration) -> WallTime {
        let (whole, fraction) = (span.nanoseconds / 1_000_000_000, span.nanoseconds % 1_000_000_000)
        let sum = Int64(nanoseconds) + fraction
        let carry = sum < 0 ? Int64(-1) : sum / 1_000_000_000
        let (total, overflow) = seconds.addingReportingOverflow(whole + carry)
        return overflow
            ? self : WallTime(seconds: total, nanoseconds: Int32(sum - carry * 1_000_000_000))
    }

    /// Formats the time with strftime(3), in its zone; returns `nil` if the result is too long, or the time is out of
    /// range.
    package func formatted(_ format: String) -> String? {
        // strftime(3) computes these seconds as if the time were in the machine's zone.
        if format == "%s" { return String(seconds) }
        guard var fields else { return nil }
        let offset = exifOffset
        return offset.withCString { name in
            // A zone other than the machine's has no known name.
            if fields.tm_zone == nil { fields.tm_zone = name }
            // The extra character distinguishes an empty result from one that does not fit.
            return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
                guard let text = buffer.baseAddress, strftime(text, 1024, format + "x", &fields) > 0 else { return nil }
                return String(String(cString: text).dropLast())
            }
        }
    }

    /// The date and time. The zone has a name if it is the machine's at that time.
    private var fields: tm? {
        var (time, fields) = (time_t(seconds), tm())
        if localtime_r(&time, &fields) != nil, Int(fields.tm_gmtoff) == utcOffset { return fields }
        let (shifted, overflow) = seconds.addingReportingOverflow(Int64(utcOffset))
        (time, fields) = (time_t(shifted), tm())
        guard !overflow, gmtime_r(&time, &fields) != nil else { return nil }
        (fields.tm_gmtoff, fields.tm_zone) = (utcOffset, nil)
        return fields
    }

    /// The date and time in EXIF: `2026:11:21 05:17:24`.
    package var exifDate: String { formatted("%Y:%m:%d %H:%M:%S") ?? "" }
    /// The milliseconds, with three digits.
    package var exifSubseconds: String { String(String(1000 + nanoseconds / 1_000_000).dropFirst()) }
    /// The UTC offset in EXIF: `+01:00`.
    package var exifOffset: String {
        let minutes = utcOffset.magnitude / 60
        return (utcOffset < 0 ? "-" : "+") + (minutes / 60).padded(to: 2) + ":" + (minutes % 60).padded(to: 2)
    }
}
