// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import ScheduleKit

@Suite("Daily hours")
struct DailyHoursTests {
    @Test(
        "Hours are parsed as clock times and as solar events",
        arguments: [
            ("08:00-18:00", .clock(28800), .clock(64800)), ("08:00..18:00", .clock(28800), .clock(64800)),
            ("22:00-06:00", .clock(79200), .clock(21600)), ("00:00-24:00", .clock(0), .clock(86400)),
            ("8:00 .. 18:00:30", .clock(28800), .clock(64830)),
            ("sunrise..sunset", .sun(.sunrise, .zero), .sun(.sunset, .zero)),
            ("sunrise-30m..sunset+1h", .sun(.sunrise, .seconds(-1800)), .sun(.sunset, .seconds(3600))),
            ("Dawn..dusk", .sun(.dawn, .zero), .sun(.dusk, .zero)),
            ("08:00..sunset-15m", .clock(28800), .sun(.sunset, .seconds(-900))),
            ("sunset+1h30m..23:00", .sun(.sunset, .seconds(5400)), .clock(82800)),
        ] as [(String, DailyHours.Edge, DailyHours.Edge)])
    func reading(text: String, start: DailyHours.Edge, end: DailyHours.Edge) throws {
        #expect(try DailyHours(parsing: text) == DailyHours(from: start, to: end))
    }

    @Test(
        "Invalid hours are refused without a trap",
        arguments: [
            "", "-", "..", "08:00", "08:00-", "-18:00", "08:00-18:00-20:00", "8-18", "08:00-25:00", "24:00-08:00",
            "08:00-08:00", "sunrise", "sunrise-sunset", "sunrise-30..sunset..dusk", "sunrise+13h..sunset",
            "sunrise+..sunset", "sunrise-30m-10m..sunset", "noon..sunset", "sunrise*2..sunset", "08:00Z-18:00Z",
            "2026-12-24 08:00..18:00", "sunrise+999999999999d..sunset", "sunrise..sunrise", "08:00..18:00..20:00",
            "\u{0}..\u{0}", "sunrise\u{301}..sunset", "０８:00-18:00", String(repeating: "..", count: 5000),
        ])
    func refusing(text: String) {
        #expect(throws: CaptureError.self) { try DailyHours(parsing: text) }
    }

    @Test(
        "Days of the week are parsed from names, short or long, and from ranges",
        arguments: [
            ("mon", [.monday]), ("Sunday", [.sunday]), ("mon-wed", [.monday, .tuesday, .wednesday]),
            ("sat-mon", [.saturday, .sunday, .monday]), ("fri-fri", [.friday]),
        ] as [(String, Set<Weekday>)])
    func weekdays(text: String, days: Set<Weekday>) throws {
        #expect(try Weekday.parse(text) == days)
    }

    @Test(
        "Invalid days of the week are refused", arguments: ["", "-", "m", "mond", "mon-", "-mon", "mon-tue-wed", "1"])
    func noWeekdays(text: String) {
        #expect(throws: InvalidValue.self) { try Weekday.parse(text) }
    }

    @Test("A day of the calendar has its day of the week")
    func calendar() {
        #expect(Weekday(day: 0) == .thursday && Weekday(day: -1) == .wednesday && Weekday(day: 4) == .monday)
        #expect(Weekday(day: Zone.utc.day(of: .utc("2026-11-21 14:00"))) == .saturday)
    }

    /// The open ranges from a moment on, such as `friday 08:00-18:00`, with the weekday on which each begins.
    private func ranges(_ hours: OpenHours, from text: String, _ count: Int = 1, _ zone: Zone = .utc) -> [String] {
        var (from, texts) = (WallMoment.utc(text), [String]())
        for _ in 0..<count {
            guard let range = hours.range(atOrAfter: from, zone) else { break }
            let weekday = Weekday(day: zone.day(of: range.lowerBound))
            texts.append("\(weekday) \(range.lowerBound.time(in: zone))-\(range.upperBound.time(in: zone))")
            from = range.upperBound
        }
        return texts
    }

    @Test("Several ranges a day follow each other, on the given days")
    func several() throws {
        let hours = OpenHours(
            [try DailyHours(parsing: "20:00-22:00"), try DailyHours(parsing: "08:00-18:00")], on: [.friday, .monday])
        #expect(
            ranges(hours, from: "2026-11-20 10:00", 4) == [
                "friday 08:00-18:00", "friday 20:00-22:00", "monday 08:00-18:00", "monday 20:00-22:00",
            ])
    }

    @Test("Hours that cross midnight belong to the day on which they begin")
    func overMidnight() throws {
        let hours = OpenHours([try DailyHours(parsing: "22:00-06:00")], on: [.friday])
        #expect(ranges(hours, from: "2026-11-21 03:00", 2) == ["friday 22:00-06:00", "friday 22:00-06:00"])
        #expect(hours.range(atOrAfter: .utc("2026-11-21 03:00"), .utc)?.lowerBound == .utc("2026-11-20 22:00"))
    }

    @Test("Days without hours are whole days of the local clock, of 23, 24 or 25 hours")
    func wholeDays() throws {
        let hours = OpenHours([], on: [.sunday])
        let spring = try #require(hours.range(atOrAfter: .utc("2026-03-28 12:00"), .berlin))
        let autumn = try #require(hours.range(atOrAfter: .utc("2026-10-24 12:00"), .berlin))
        #expect(spring.upperBound - spring.lowerBound == .seconds(23 * 3600))
        #expect(autumn.upperBound - autumn.lowerBound == .seconds(25 * 3600))
    }

    @Test("Hours follow the local clock when it is put forward and back")
    func daylightSaving() throws {
        let hours = OpenHours([try DailyHours(parsing: "08:00-18:00")])
        #expect(hours.range(atOrAfter: .utc("2026-03-28 12:00"), .berlin)?.lowerBound == .utc("2026-03-28 07:00"))
        #expect(hours.range(atOrAfter: .utc("2026-03-29 02:00"), .berlin)?.lowerBound == .utc("2026-03-29 06:00"))
        let night = OpenHours([try DailyHours(parsing: "02:30-03:30")])
        // 02:30 does not exist in spring: it is read by the clock before the change, and becomes 03:30. In autumn it
        // occurs twice, and the first one counts.
        #expect(night.range(atOrAfter: .utc("2026-03-28 20:00"), .berlin)?.lowerBound == .utc("2026-03-30 00:30"))
        #expect(night.range(atOrAfter: .utc("2026-10-24 20:00"), .berlin)?.lowerBound == .utc("2026-10-25 00:30"))
        #expect(night.range(atOrAfter: .utc("2026-10-24 20:00"), .berlin)?.upperBound == .utc("2026-10-25 02:30"))
    }

    private static let berlin = Place(latitude: 52.52, longitude: 13.40)

    @Test("Hours by the sun are open in daylight, and 17:00..sunset is empty in winter")
    func sun() throws {
        let day = OpenHours([try DailyHours(parsing: "sunrise..sunset")], at: Self.berlin)
        let range = try #require(day.range(atOrAfter: .utc("2026-06-21 12:00"), .berlin))
        #expect(range.contains(.utc("2026-06-21 03:00")) && !range.contains(.utc("2026-06-21 02:30")))
        let evening = OpenHours([try DailyHours(parsing: "17:00..sunset")], at: Self.berlin)
        let summer = try #require(evening.range(atOrAfter: .utc("2026-12-01 12:00"), .berlin))
        #expect(Zone.berlin.day(of: summer.lowerBound) > Zone.berlin.day(of: .utc("2027-01-15 12:00")))
        let night = OpenHours([try DailyHours(parsing: "sunset..sunrise")], at: Self.berlin)
        #expect(night.range(atOrAfter: .utc("2026-12-01 23:00"), .berlin)?.contains(.utc("2026-12-02 02:00")) == true)
        #expect(night.range(atOrAfter: .utc("2026-12-02 11:00"), .berlin)?.contains(.utc("2026-12-02 11:00")) == false)
    }

    @Test("Hours by the sun belong to the local day, even where clocks are a day ahead of the sun")
    func dateLine() throws {
        let samoa = OpenHours(
            [try DailyHours(parsing: "sunrise..sunset")], on: [.saturday],
            at: Place(latitude: -13.83, longitude: -171.77))
        let zone = Zone.fixed(13 * 3600)
        let range = try #require(samoa.range(atOrAfter: .utc("2026-11-20 12:00"), zone))
        #expect(Weekday(day: zone.day(of: range.lowerBound)) == .saturday)
        #expect(range.lowerBound.time(in: zone).hasPrefix("05:") && range.upperBound.time(in: zone).hasPrefix("18:"))
    }

    @Test("Hours by the sun stay open on a polar day, and wait for the end of a polar night")
    func polar() throws {
        let hours = OpenHours([try DailyHours(parsing: "sunrise..sunset")], at: Place(latitude: 80, longitude: 0))
        var moment = WallMoment.utc("2019-06-10 12:00")
        for _ in 0..<10 {
            let range = try #require(hours.range(atOrAfter: moment, .utc))
            #expect(range.lowerBound <= moment + .seconds(60))
            moment = range.upperBound
        }
        let spring = try #require(hours.range(atOrAfter: .utc("2019-11-01 12:00"), .utc))
        #expect(Zone.utc.day(of: spring.lowerBound) - Zone.utc.day(of: .utc("2020-02-20 12:00")) <= 2)
    }
}
