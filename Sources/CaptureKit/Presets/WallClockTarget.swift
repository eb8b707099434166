// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// A moment by the wall clock at which a series ends: `18:00`, or `2026-12-24 18:00`.
public struct WallClockTarget: Sendable, Hashable {
    /// Year, month and day; `nil` for the next such time.
    let date: [Int]?
    let hour: Int, minute: Int, second: Int

    /// Reads a time of day, with a date before it or without.
    public init?(text: String) {
        let halves = text.split(whereSeparator: { $0 == " " || $0 == "T" })
        guard (1...2).contains(halves.count), let clock = Self.numbers(halves[halves.count - 1], ":", 2...3),
            clock[0] < 24, clock[1] < 60, clock.count < 3 || clock[2] < 60
        else { return nil }
        (hour, minute, second) = (clock[0], clock[1], clock.count > 2 ? clock[2] : 0)
        guard halves.count == 2 else {
            date = nil
            return
        }
        guard let day = Self.numbers(halves[0], "-", 3...3), (1970...9999).contains(day[0]),
            (1...12).contains(day[1]), (1...31).contains(day[2])
        else { return nil }
        date = day
    }

    /// How long it is until then, in the zone of this machine (`mktime`); negative where it is over.
    public func remaining(from now: WallTime) -> Duration {
        var (time, fields) = (time_t(now.seconds), tm())
        localtime_r(&time, &fields)
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
        // The zone's rules say whether daylight saving holds at that moment.
        fields.tm_isdst = -1
        if let date {
            (fields.tm_year, fields.tm_mon, fields.tm_mday) =
                (Int32(date[0] - 1900), Int32(date[1] - 1), Int32(date[2]))
        }
        var target = Int64(mktime(&fields))
        if date == nil, target <= now.seconds {
            fields.tm_mday += 1
            (fields.tm_hour, fields.tm_min, fields.tm_sec, fields.tm_isdst) =
                (Int32(hour), Int32(minute), Int32(second), -1)
            target = Int64(mktime(&fields))
        }
        return .seconds(target - now.seconds) - .nanoseconds(Int64(now.nanoseconds))
    }

    private static func numbers(_ text: Substring, _ separator: Character, _ count: ClosedRange<Int>) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard count.contains(parts.count) else { return nil }
        let numbers = parts.compactMap { part in
            part.count <= 4 && part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) : nil
        }
        return numbers.count == parts.count ? numbers : nil
    }
}
