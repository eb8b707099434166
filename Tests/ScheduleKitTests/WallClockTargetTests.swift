// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import ScheduleKit

@Suite("Moments by the wall clock")
struct WallClockTargetTests {
    @Test(
        "Moments are parsed in common notations and in ISO 8601",
        arguments: [
            ("18:00", "18:00:00"), ("6:05", "06:05:00"), ("23:59:59", "23:59:59"), ("00:00", "00:00:00"),
            ("2026-12-24 18:00", "2026-12-24T18:00:00"), ("2026-12-24T18:00:30", "2026-12-24T18:00:30"),
            ("2028-02-29 00:00", "2028-02-29T00:00:00"), ("18:00Z", "18:00:00+00:00"),
            ("2026-12-24T18:00:00+01:00", "2026-12-24T18:00:00+01:00"), ("18:00-03:30", "18:00:00-03:30"),
        ])
    func reading(text: String, iso: String) throws {
        #expect(try WallClockTarget(parsing: text).description == iso)
    }

    @Test(
        "Invalid moments are refused without a trap",
        arguments: [
            "", "18", "18:", ":00", "24:00", "18:60", "18:00:60", "18:00:00:00", "-1:00", "18.00", "6pm", "018:00",
            "2026-02-29 18:00", "2026-13-01 18:00", "2026-00-10 18:00", "2026-04-31 18:00", "1969-12-31 18:00",
            "26-12-24 18:00", "2026-12-24", "2026-12-24T", "T18:00", "18:00+1", "18:00+24:00", "18:00Z0", "18:00+-1:00",
            "99999999999999999999:00", "１８:00", "\u{0}", "tomorrow", "2026-12-24 18:00 ", "18:00ZZ", "18:00Z01:00",
        ])
    func refusing(text: String) {
        #expect(throws: CaptureError.self) { try WallClockTarget(parsing: text) }
    }

    @Test("A time of day is its next occurrence: today's, or tomorrow's if it has passed or is now")
    func nextOne() throws {
        let target = try WallClockTarget(parsing: "18:00Z")
        let midnight: Int64 = 1_798_070_400
        #expect(target.secondsSince1970(after: midnight) == midnight + 18 * 3600)
        #expect(target.secondsSince1970(after: midnight + 18 * 3600 - 1) == midnight + 18 * 3600)
        #expect(target.secondsSince1970(after: midnight + 18 * 3600) == midnight + 42 * 3600)
    }

    @Test("A time that occurs twice is its first occurrence, and a skipped time is read by the clock before the change")
    func daylightSaving() throws {
        let target = try WallClockTarget(parsing: "02:30")
        #expect(target.moment(after: .utc("2026-10-24 22:00"), .berlin) == .utc("2026-10-25 00:30"))
        // The moment is between the two occurrences.
        #expect(target.moment(after: .utc("2026-10-25 00:45"), .berlin) == .utc("2026-10-26 01:30"))
        #expect(target.moment(after: .utc("2026-03-28 22:00"), .berlin) == .utc("2026-03-29 01:30"))
    }

    @Test("A moment with a date keeps that date, even if it has passed")
    func dates() throws {
        let target = try WallClockTarget(parsing: "2026-12-24T18:00:00+01:00")
        #expect(target.secondsSince1970(after: 0) == 1_798_131_600)
        #expect(target.secondsSince1970(after: 4_000_000_000) == 1_798_131_600)
    }

    @Test("The zone of a moment defaults to the machine's, with its summer time")
    func localTime() async {
        // A separate process has a separate time zone.
        await #expect(processExitsWith: .success) {
            setenv("TZ", "Europe/Berlin", 1)
            tzset()
            // The clocks change in the nights after these moments.
            for now: Int64 in [1_774_659_600, 1_792_800_000] {
                let next = try WallClockTarget(parsing: "12:00").secondsSince1970(after: now)
                var (moment, fields) = (time_t(next), tm())
                localtime_r(&moment, &fields)
                try #require(fields.tm_hour == 12 && fields.tm_min == 0)
                try #require(next > now && next <= now + 25 * 3600)
            }
        }
    }

    @Test("The time that remains until a moment is exact, and negative if the date has passed")
    func remaining() throws {
        let now = WallTime(seconds: 1_798_131_590, nanoseconds: 250_000_000, utcOffset: 3600)
        let target = try WallClockTarget(parsing: "2026-12-24T18:00:00+01:00")
        #expect(target.remaining(from: now) == .milliseconds(9750))
        let later = WallTime(seconds: 1_798_131_601, nanoseconds: 0, utcOffset: 0)
        #expect(target.remaining(from: later) == .seconds(-1))
    }

    @Test("Any time of the clock is accepted without a trap", arguments: [Int64.min, -1, 0, Int64.max])
    func oddClocks(now: Int64) throws {
        _ = try WallClockTarget(parsing: "18:00").secondsSince1970(after: now)
        let now = WallTime(seconds: now, nanoseconds: 999_999_999, utcOffset: 0)
        _ = try WallClockTarget(parsing: "2026-12-24T18:00:00Z").remaining(from: now)
        _ = try WallClockTarget(parsing: "18:00+14:00").remaining(from: now)
    }
}
