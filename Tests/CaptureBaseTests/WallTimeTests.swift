// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@Suite("Wall times")
struct WallTimeTests {
    @Test(
        "Date and time of day follow the calendar in any zone",
        arguments: [0, 3600, -3600, 19_800, -12_600, 50_400, -43_200, 20_700])
    func calendar(offset: Int) throws {
        // 1970 to 2100, in steps that cover all days of the week and times of day, and some time before 1970.
        for seconds in stride(from: Int64(-100_000_000), through: 4_102_444_799, by: 7_654_321) {
            let time = WallTime(seconds: seconds, nanoseconds: 0, utcOffset: offset)
            #expect(time.exifDate == SlowCalendar.date(seconds + Int64(offset)))
        }
    }

    @Test(
        "Dates are correct at the ends of years and on leap days",
        arguments: [
            (0, "1970:01:01 00:00:00"), (-1, "1969:12:31 23:59:59"), (951_782_400, "2000:02:29 00:00:00"),
            (1_709_251_199, "2024:02:29 23:59:59"), (2_147_483_648, "2038:01:19 03:14:08"),
            (4_102_444_799, "2099:12:31 23:59:59"), (4_107_542_399, "2100:02:28 23:59:59"),
            (4_107_542_400, "2100:03:01 00:00:00"),
        ] as [(Int64, String)])
    func edges(seconds: Int64, text: String) {
        #expect(WallTime(seconds: seconds, nanoseconds: 0, utcOffset: 0).exifDate == text)
    }

    @Test(
        "Zones are written as in EXIF",
        arguments: [
            (0, "+00:00"), (3600, "+01:00"), (-3600, "-01:00"), (19_800, "+05:30"), (-12_600, "-03:30"),
            (20_700, "+05:45"),
            (50_400, "+14:00"), (-60, "-00:01"),
        ])
    func offsets(offset: Int, text: String) {
        let time = WallTime(seconds: 0, nanoseconds: 0, utcOffset: offset)
        #expect(time.exifOffset == text)
        #expect(time.formatted("%z") == text.replacing(":", with: ""))
    }

    @Test(
        "Milliseconds have three digits",
        arguments: [(0, "000"), (1_000_000, "001"), (999_999, "000"), (50_000_000, "050"), (999_999_999, "999")]
            as [(Int32, String)])
    func milliseconds(nanoseconds: Int32, text: String) {
        #expect(WallTime(seconds: 5, nanoseconds: nanoseconds, utcOffset: 0).exifSubseconds == text)
    }

    @Test("Adding a duration is exact, and subtracting it restores the time", arguments: 0..<10)
    func adding(seed: UInt64) {
        var generator = SplitMix(seed)
        for _ in 0..<200 {
            let time = WallTime(
                seconds: .random(in: -1_000_000_000...5_000_000_000, using: &generator),
                nanoseconds: .random(in: 0...999_999_999, using: &generator), utcOffset: 3600)
            let span = Int64.random(in: -4_000_000_000_000_000...4_000_000_000_000_000, using: &generator)
            let later = time.adding(.nanoseconds(span))
            let sum = Int128(time.seconds) * 1_000_000_000 + Int128(time.nanoseconds) + Int128(span)
            #expect(Int128(later.seconds) * 1_000_000_000 + Int128(later.nanoseconds) == sum)
            #expect((0...999_999_999).contains(later.nanoseconds))
            let back = later.adding(.nanoseconds(-span))
            #expect(back.seconds == time.seconds && back.nanoseconds == time.nanoseconds)
        }
    }

    @Test("A wall time accepts any number without a trap", arguments: [Int64.min, -1, 0, .max], [Int.min, 0, .max])
    func extremes(seconds: Int64, offset: Int) {
        for nanoseconds in [Int32.min, 0, 999_999_999, .max] {
            let time = WallTime(seconds: seconds, nanoseconds: nanoseconds, utcOffset: offset)
            for span in [Duration.zero, .seconds(Int64.max), .seconds(Int64.min), .nanoseconds(-1)] {
                _ = time.adding(span)
            }
            _ = (time.exifDate, time.exifOffset, time.exifSubseconds, time.formatted("%A %B %Z %s %G %V %c"))
            _ = WallTime(seconds: seconds, nanoseconds: nanoseconds)
        }
    }

    @Test("Seconds are counted in UTC, in any zone", arguments: [0, 3600, -12_600])
    func count(offset: Int) {
        let time = WallTime(seconds: 1_720_000_000, nanoseconds: 0, utcOffset: offset)
        #expect(time.formatted("%s") == "1720000000")
    }

    @Test("The default zone is the machine's, with its summer time and its name")
    func summerTime() async {
        // A separate process has a separate time zone.
        await #expect(processExitsWith: .success) {
            setenv("TZ", "Europe/Berlin", 1)
            tzset()
            // The clocks went forward at 01:00 UTC on 2026-03-29, and back at 01:00 UTC on 2026-10-25.
            for (seconds, offset, name, text) in [
                (1_774_746_000 - 1, 3600, "CET", "2026:03:29 01:59:59"),
                (1_774_746_000, 7200, "CEST", "2026:03:29 03:00:00"),
                (1_792_890_000 - 1, 7200, "CEST", "2026:10:25 02:59:59"),
                (1_792_890_000, 3600, "CET", "2026:10:25 02:00:00"),
                (4_102_444_799 - 15_552_000, 7200, "CEST", "2099:07:05 01:59:59"),
            ] as [(Int64, Int, String, String)] {
                let time = WallTime(seconds: seconds, nanoseconds: 0)
                try #require(time.utcOffset == offset)
                try #require(time.exifDate == text)
                try #require(time.formatted("%Z") == name)
                try #require(time.formatted("%s") == String(seconds))
                try #require(time.adding(.zero) == time)
                let winter = WallTime(seconds: 1_767_225_600, nanoseconds: 0)
                try #require(winter.adding(.seconds(seconds - winter.seconds)) == time)
                // A time with an explicit zone keeps it.
                let elsewhere = WallTime(seconds: seconds, nanoseconds: 0, utcOffset: 19_800)
                try #require(elsewhere.formatted("%z %Z") == "+0530 +05:30")
                try #require(elsewhere.formatted("%s") == String(seconds))
            }
        }
    }

    @Test("The current time is that of the system's clock")
    func now() {
        let before = Date()
        let now = WallTime.now()
        let after = Date()
        let seconds = Double(now.seconds) + Double(now.nanoseconds) / 1e9
        #expect(seconds >= before.timeIntervalSince1970 - 0.001 && seconds <= after.timeIntervalSince1970 + 0.001)
        #expect(now.utcOffset == TimeZone.current.secondsFromGMT(for: before))
    }
}

/// A calendar that counts day by day from the start of 1970.
private enum SlowCalendar {
    static func date(_ seconds: Int64) -> String {
        var day = Int((Double(seconds) / 86_400).rounded(.down))
        let rest = Int(seconds) - day * 86_400
        var (year, month) = (1970, 1)
        while day < 0 {
            year -= 1
            day += isLeap(year) ? 366 : 365
        }
        while day >= (isLeap(year) ? 366 : 365) {
            day -= isLeap(year) ? 366 : 365
            year += 1
        }
        while day >= length(month, year) {
            day -= length(month, year)
            month += 1
        }
        func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let time = [rest / 3600, rest / 60 % 60, rest % 60].map(pad).joined(separator: ":")
        return "\(year):\(pad(month)):\(pad(day + 1)) \(time)"
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func length(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
