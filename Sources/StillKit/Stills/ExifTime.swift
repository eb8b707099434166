// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// A moment as EXIF has it: a date, a fraction of its second, and a zone, each of which is a text.
struct ExifTime {
    /// The moment.
    let time: WallTime

    /// Reads a moment.
    ///
    /// - Parameters:
    ///   - date: `2026:11:21 05:17:24`; some programs write dashes or slashes.
    ///   - fraction: The digits of the fraction; `nil` or another text for none.
    ///   - zone: `+01:00`; `nil` or another text for the zone of this machine at that time (`mktime(3)`).
    /// - Returns: `nil` if `date` is none.
    init?(date: String, fraction: String?, zone: String?) {
        guard var fields = Self.fields(date) else { return nil }
        let nanoseconds = Self.nanoseconds(fraction ?? "")
        if let offset = zone.flatMap(Self.offset) {
            time = WallTime(
                seconds: Int64(timegm(&fields)) - Int64(offset), nanoseconds: nanoseconds, utcOffset: offset)
        } else {
            fields.tm_isdst = -1
            let seconds = Int64(mktime(&fields))
            time = WallTime(seconds: seconds, nanoseconds: nanoseconds, utcOffset: Int(fields.tm_gmtoff))
        }
    }

    private static func fields(_ text: String) -> tm? {
        var numbers: [Int32] = []
        for part in text.utf8.split(whereSeparator: { !$0.isDigit }) {
            guard part.count <= 4 else { return nil }
            numbers.append(part.reduce(0) { $0 * 10 + Int32($1 - UInt8(ascii: "0")) })
        }
        guard numbers.count == 6, (1900...9999).contains(numbers[0]), (1...12).contains(numbers[1]),
            (1...31).contains(numbers[2]), (0...23).contains(numbers[3]), (0...59).contains(numbers[4]),
            (0...60).contains(numbers[5])
        else { return nil }
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (numbers[3], numbers[4], numbers[5])
        return fields
    }

    private static func nanoseconds(_ digits: String) -> Int32 {
        let known = digits.utf8.prefix { $0.isDigit }.prefix(9)
        return (0..<9).reduce(0) { sum, index in
            let digit = index < known.count ? Int32(known[known.index(known.startIndex, offsetBy: index)]) - 48 : 0
            return sum * 10 + digit
        }
    }

    /// Reads a zone, in seconds.
    private static func offset(_ text: String) -> Int? {
        if text == "Z" { return 0 }
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
        guard parts.count == 2, (0...14).contains(parts[0]), (0...59).contains(parts[1]) else { return nil }
        return (sign == "-" ? -1 : 1) * (parts[0] * 3600 + parts[1] * 60)
    }
}
