// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit

/// Moments as ISO 8601 has them.
enum Timestamp {
    /// Date, time with milliseconds and zone, such as `2026-11-21T05:17:24.123+01:00`.
    static func iso8601(_ time: WallTime) -> String {
        let offset = Int64(max(-86399, min(86399, time.utcOffset)))
        let local = max(-(1 << 50), min(1 << 50, time.seconds)) + offset
        let (day, second) = (floorDivision(local, 86400), local - floorDivision(local, 86400) * 86400)
        let date = civil(day)
        let clock = "\(pad(second / 3600)):\(pad(second / 60 % 60)):\(pad(second % 60))"
        let milliseconds = pad(Int64(max(0, min(999_999_999, time.nanoseconds))) / 1_000_000, 3)
        let zone = "\(offset < 0 ? "-" : "+")\(pad(abs(offset) / 3600)):\(pad(abs(offset) / 60 % 60))"
        return "\(pad(date.year, 4))-\(pad(date.month))-\(pad(date.day))T\(clock).\(milliseconds)\(zone)"
    }

    /// The time of day, such as `05:17:24`.
    static func clock(_ time: WallTime) -> String { String(iso8601(time).dropFirst(11).prefix(8)) }

    /// The time of day, and the date where that is another one: `05:17:24`, `2026-11-22 05:17:24`.
    static func soon(_ time: WallTime, after now: WallTime) -> String {
        let (date, today) = (iso8601(time).prefix(10), iso8601(now).prefix(10))
        return date == today ? clock(time) : "\(date) \(clock(time))"
    }

    /// A moment of the monotonic clock by the wall clock, as both are now.
    static func iso8601(_ moment: ClockTime) -> String {
        iso8601(WallTime.now().adding(moment - PipelineClock.system.now))
    }

    /// How long it is from one moment to another, as far as that can be said.
    static func span(from first: WallTime, to last: WallTime) -> Duration {
        let (seconds, overflow) = last.seconds.subtractingReportingOverflow(first.seconds)
        return overflow ? .zero : .seconds(seconds) + .nanoseconds(Int64(last.nanoseconds) - Int64(first.nanoseconds))
    }

    // Days since 1970 as a date of the proleptic Gregorian calendar, whose years begin in March here: the leap day comes
    // last, and 400 years are 146,097 days.
    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = floorDivision(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isNextYear = month >= 10
        return (
            yearOfEra + era * 400 + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
            dayOfYear - (153 * month + 2) / 5 + 1
        )
    }

    private static func floorDivision(_ value: Int64, _ divisor: Int64) -> Int64 {
        (value - (value < 0 ? divisor - 1 : 0)) / divisor
    }

    private static func pad(_ value: Int64, _ width: Int = 2) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
