// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Times in ISO 8601.
extension WallTime {
    /// The date, the time with milliseconds, and the zone, such as `2026-11-21T05:17:24.123+01:00`.
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

    /// Parses text that ``iso8601`` has formatted. It checks the length, the digits, the month and the dashes of the
    /// date, and returns `nil` if one is wrong; it does not check other separators and ranges.
    package init?(iso8601 text: String) {
        let characters = Array(text.utf8)
        guard characters.count == 29, [4, 7].allSatisfy({ characters[$0] == UInt8(ascii: "-") }) else { return nil }
        func number(_ start: Int, _ count: Int) -> Int64? {
            let digits = characters[start..<(start + count)]
            return digits.allSatisfy(\.isDigit) ? Int64(String(decoding: digits, as: UTF8.self)) : nil
        }
        guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2),
            let minute = number(14, 2), let second = number(17, 2), let milliseconds = number(20, 3),
            let zoneHour = number(24, 2), let zoneMinute = number(27, 2), (1...12).contains(month)
        else { return nil }
        let sign: Int64 = characters[23] == UInt8(ascii: "-") ? -1 : 1
        let offset = sign * (zoneHour * 3600 + zoneMinute * 60)
        let local = Self.days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second
        self.init(seconds: local - offset, nanoseconds: Int32(milliseconds) * 1_000_000, utcOffset: Int(offset))
    }

    /// Milliseconds since the start of 1970, UTC. Only valid for times that ``iso8601`` can format.
    package var millisecondsSince1970: Int64 { seconds * 1000 + Int64(nanoseconds) / 1_000_000 }

    /// Returns the days from 1970 to a date of the proleptic Gregorian calendar, the inverse of `civil`.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = floorDivision(shiftedYear, 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    // Converts days since 1970 to a date of the proleptic Gregorian calendar. Its years begin in March here: the leap
    // day comes last, and 400 years are 146,097 days.
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
