// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Moments as ISO 8601 has them.
extension WallTime {
    /// Date, time with milliseconds and zone, such as `2026-11-21T05:17:24.123+01:00`.
    public var iso8601: String {
        let offset = Int64(max(-86399, min(86399, utcOffset)))
        let local = max(-(1 << 50), min(1 << 50, seconds)) + offset
        let (day, second) = (Self.floorDivision(local, 86400), local - Self.floorDivision(local, 86400) * 86400)
        let date = Self.civil(day)
        let clock = "\(Self.pad(second / 3600)):\(Self.pad(second / 60 % 60)):\(Self.pad(second % 60))"
        let milliseconds = Self.pad(Int64(max(0, min(999_999_999, nanoseconds))) / 1_000_000, 3)
        let zone = "\(offset < 0 ? "-" : "+")\(Self.pad(abs(offset) / 3600)):\(Self.pad(abs(offset) / 60 % 60))"
        return "\(Self.pad(date.year, 4))-\(Self.pad(date.month))-\(Self.pad(date.day))T\(clock).\(milliseconds)\(zone)"
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

    private static func pad(_ value: Int64, _ width: Int = 2) -> String { value.padded(to: width) }
}
