// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// A moment by the wall clock, with the offset of its zone at that moment.
public struct WallTime: Sendable, Hashable {
    /// Seconds since the start of 1970, UTC.
    public var seconds: Int64
    /// Nanoseconds within the second, 0 to 999,999,999.
    public var nanoseconds: Int32
    /// Seconds east of UTC.
    public var utcOffset: Int

    /// Creates a moment as given.
    public init(seconds: Int64, nanoseconds: Int32, utcOffset: Int) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.utcOffset = utcOffset
    }

    /// A moment in the zone of this machine (`localtime_r`).
    public init(seconds: Int64, nanoseconds: Int32) {
        var (time, local) = (time_t(seconds), tm())
        localtime_r(&time, &local)
        self.init(seconds: seconds, nanoseconds: nanoseconds, utcOffset: Int(local.tm_gmtoff))
    }

    /// The moment now (`CLOCK_REALTIME`).
    public static func now() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    }

    /// The moment `span` later, or earlier where it is negative, in the zone of this machine.
    public func adding(_ span: Duration) -> WallTime {
        let (whole, fraction) = (span.nanoseconds / 1_000_000_000, span.nanoseconds % 1_000_000_000)
        let sum = Int64(nanoseconds) + fraction
        let carry = sum < 0 ? Int64(-1) : sum / 1_000_000_000
        let (total, overflow) = seconds.addingReportingOverflow(whole + carry)
        return overflow
            ? self : WallTime(seconds: total, nanoseconds: Int32(sum - carry * 1_000_000_000))
    }

    /// The moment in the words of strftime(3), in its own zone; `nil` where that is too long, or too far away.
    func formatted(_ format: String) -> String? {
        // strftime would count by the machine's zone.
        if format == "%s" { return String(seconds) }
        guard var fields else { return nil }
        let offset = exifOffset
        return offset.withCString { name in
            // Another zone than the machine's has no name that is known.
            if fields.tm_zone == nil { fields.tm_zone = name }
            // One character more: an empty result and one that does not fit are told apart.
            return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
                guard let text = buffer.baseAddress, strftime(text, 1024, format + "x", &fields) > 0 else { return nil }
                return String(String(cString: text).dropLast())
            }
        }
    }

    /// The date and time; the zone has a name where it is the machine's at that moment.
    private var fields: tm? {
        var (time, fields) = (time_t(seconds), tm())
        if localtime_r(&time, &fields) != nil, Int(fields.tm_gmtoff) == utcOffset { return fields }
        let (shifted, overflow) = seconds.addingReportingOverflow(Int64(utcOffset))
        (time, fields) = (time_t(shifted), tm())
        guard !overflow, gmtime_r(&time, &fields) != nil else { return nil }
        (fields.tm_gmtoff, fields.tm_zone) = (utcOffset, nil)
        return fields
    }

    /// As EXIF writes it: `2026:11:21 05:17:24`.
    var exifDate: String { formatted("%Y:%m:%d %H:%M:%S") ?? "" }
    /// Milliseconds, three digits.
    var exifSubseconds: String { String(String(1000 + nanoseconds / 1_000_000).dropFirst()) }
    /// `+01:00`.
    var exifOffset: String {
        let minutes = utcOffset.magnitude / 60
        func pad(_ number: UInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return (utcOffset < 0 ? "-" : "+") + pad(minutes / 60) + ":" + pad(minutes % 60)
    }
}
