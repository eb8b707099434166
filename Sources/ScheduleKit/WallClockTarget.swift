// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// A moment by the wall clock: a time of day, or a date with a time of day.
public struct WallClockTarget: Sendable, Hashable {
    /// A date of the Gregorian calendar.
    public struct Day: Sendable, Hashable {
        /// The year, from 1970.
        public let year: Int
        /// The month, 1 to 12.
        public let month: Int
        /// The day of the month, 1 to 31.
        public let day: Int
    }

    /// The date; `nil` for the next moment at which the clock shows this time of day.
    public let day: Day?
    /// The hour, 0 to 23.
    public let hour: Int
    /// The minute, 0 to 59.
    public let minute: Int
    /// The second, 0 to 59.
    public let second: Int
    /// Seconds east of UTC; `nil` for the machine's zone.
    public let utcOffset: Int?

    /// Parses `18:00`, `18:00:30`, `2026-12-24 18:00` or, in the form of ISO 8601, `2026-12-24T18:00:00+01:00`.
    ///
    /// - Throws: `CaptureError` `.usage` if the text is not a moment.
    public init(parsing text: String) throws(CaptureError) {
        do throws(InvalidValue) {
            self = try Self.parse(text)
        } catch {
            throw CaptureError(.usage, error.message, advice: error.advice)
        }
    }

    private init(day: Day?, hour: Int, minute: Int, second: Int, utcOffset: Int?) {
        (self.day, self.hour, self.minute, self.second) = (day, hour, minute, second)
        self.utcOffset = utcOffset
    }
}

extension WallClockTarget {
    /// Returns the time until the moment; negative if a date with a time has passed.
    public func remaining(from now: WallTime) -> Duration {
        let (seconds, overflow) = secondsSince1970(after: now.seconds).subtractingReportingOverflow(now.seconds)
        return .seconds(overflow ? 0 : seconds) - .nanoseconds(Int64(now.nanoseconds))
    }

    /// Returns the moment; a time of day is the next one after `now`.
    func moment(after now: WallMoment, _ zone: Zone) -> WallMoment {
        WallMoment(seconds: secondsSince1970(after: now.seconds, zone))
    }

    /// Returns the moment in seconds since 1970 UTC. A date with a time may be before `now`.
    ///
    /// A time of day is the next one: tomorrow's if today's has passed, or is now. If clocks that are set back show a
    /// time twice, only the first counts. A time that daylight saving skips is read by the clock before the change.
    package func secondsSince1970(after now: Int64, _ machineZone: Zone = .machine) -> Int64 {
        let zone = utcOffset.map { Zone.fixed($0) } ?? machineZone
        // Clamped to a range in which sums do not overflow.
        let now = max(-Self.limit, min(Self.limit, now))
        let today = zone.localSeconds(now).dividedDown(by: .secondsPerDay)
        let moment = seconds(ofDay: day?.number ?? today, zone)
        return day == nil && moment <= now ? seconds(ofDay: today + 1, zone) : moment
    }

    private static let limit: Int64 = 1 << 55

    private func seconds(ofDay day: Int64, _ zone: Zone) -> Int64 {
        zone.seconds(ofLocal: day * .secondsPerDay + Int64(hour * 3600 + minute * 60 + second))
    }
}

extension WallClockTarget.Day {
    /// Days since 1970 (`timegm(3)`).
    fileprivate var number: Int64 {
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        return Int64(timegm(&fields)).dividedDown(by: .secondsPerDay)
    }
}

extension WallClockTarget: CustomStringConvertible {
    /// The moment in the form of ISO 8601: `18:00:00`, or `2026-12-24T18:00:00+01:00`.
    public var description: String {
        let date = day.map { "\($0.year)-\($0.month.padded(to: 2))-\($0.day.padded(to: 2))T" } ?? ""
        let offset = utcOffset.map { offset in
            let minutes = offset.magnitude / 60
            return (offset < 0 ? "-" : "+") + (minutes / 60).padded(to: 2) + ":" + (minutes % 60).padded(to: 2)
        }
        return date + [hour, minute, second].map { $0.padded(to: 2) }.joined(separator: ":") + (offset ?? "")
    }
}

extension WallClockTarget {
    package static func parse(_ text: String) throws(InvalidValue) -> WallClockTarget {
        guard let target = target(text[...]) else {
            throw InvalidValue("\(text.quoted) is not a time", advice: "give one such as 18:00 or 2026-12-24 18:00")
        }
        return target
    }

    private static func target(_ text: Substring) -> WallClockTarget? {
        let parts = text.split(separator: " ", maxSplits: 1)
        if parts.count == 2 { return day(parts[0]).flatMap { target(parts[1], on: $0) } }
        let halves = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "T" || $0 == "t" }
        if halves.count == 2 { return day(halves[0]).flatMap { target(halves[1], on: $0) } }
        return target(text, on: nil)
    }

    private static func target(_ text: Substring, on day: Day?) -> WallClockTarget? {
        let sign = text.firstIndex { "+-Zz".contains($0) } ?? text.endIndex
        let zone = text[sign...]
        let utcOffset = zone.isEmpty ? nil : offset(zone)
        guard let time = numbers(text[..<sign], parts: 2...3), zone.isEmpty || utcOffset != nil,
            time[0] < 24, time[1] < 60, time.count == 2 || time[2] < 60
        else { return nil }
        return WallClockTarget(
            day: day, hour: time[0], minute: time[1], second: time.count == 3 ? time[2] : 0, utcOffset: utcOffset)
    }

    /// Parses `Z` or `+01:00`, and returns seconds.
    private static func offset(_ text: Substring) -> Int? {
        if text.lowercased() == "z" { return 0 }
        guard let sign = text.first, "+-".contains(sign), let time = numbers(text.dropFirst(), parts: 2...2),
            time[0] < 24, time[1] < 60
        else { return nil }
        return (sign == "-" ? -1 : 1) * (time[0] * 3600 + time[1] * 60)
    }

    private static func day(_ text: Substring) -> Day? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.count == 4, let year = Int(digits: parts[0]), year >= 1970,
            let month = Int(digits: parts[1]), 1...12 ~= month,
            let day = Int(digits: parts[2]), 1...daysIn(month, of: year) ~= day
        else { return nil }
        return Day(year: year, month: month, day: day)
    }

    private static func daysIn(_ month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Parses numbers of one or two digits, separated by colons.
    private static func numbers(_ text: Substring, parts count: ClosedRange<Int>) -> [Int]? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.count <= 2 ? Int(digits: $0) : nil }
        return numbers.count == parts.count && count ~= parts.count ? numbers : nil
    }
}

extension Int {
    /// Parses ASCII digits only, without a sign.
    fileprivate init?(digits text: Substring) {
        guard text.utf8.allSatisfy(\.isDigit), let number = Int(text) else { return nil }
        self = number
    }
}
