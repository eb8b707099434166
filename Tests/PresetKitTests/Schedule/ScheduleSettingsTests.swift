// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PresetKit
import ScheduleKit
import Testing

@testable import CaptureKit

@Suite("Settings of a schedule")
struct ScheduleSettingsTests {
    private func schedule(_ options: [(key: String, value: String)]) throws -> Schedule {
        let settings = try CaptureSettings(options: [("camera", "scene"), ("interval", "10m")] + options)
        return try CaptureConfiguration(settings, mode: .timelapse).schedule
    }

    @Test("Every setting reaches the schedule")
    func all() throws {
        let schedule = try schedule([
            ("align", "yes"), ("hours", "sunrise-30m..sunset, 20:00-22:00"), ("days", "mon-fri,sun"),
            ("latitude", "33.87S"), ("longitude", "-151.2"), ("late-slots", "skip"), ("start", "08:00"),
        ])
        #expect(schedule.isAligned && schedule.latePolicy == .skip && schedule.start?.hour == 8)
        let hours = try #require(schedule.openHours)
        #expect(hours.hours.count == 2 && hours.days == Set(Weekday.allCases).subtracting([.saturday]))
        #expect(hours.place == Place(latitude: -33.87, longitude: -151.2))
    }

    @Test(
        "Settings that conflict are refused with the option to add or change",
        arguments: [
            ([("hours", "sunrise..sunset")], "--latitude"),
            ([("hours", "08:00..dusk"), ("latitude", "52.5")], "--longitude"),
            ([("until", "2020-01-01 08:00")], "--until"),
            ([("hours", "08:01-08:02"), ("align", "yes")], "--hours"),
            ([("start", "2036-01-01 08:00"), ("until", "2035-01-01 08:00")], "--until"),
        ])
    func missing(options: [(key: String, value: String)], subject: String) {
        #expect { _ = try schedule(options) } throws: { ($0 as? CaptureError)?.subject == subject }
    }

    @Test(
        "Degrees are decimal, with a sign or a direction", arguments: [("52.52", 52.52), ("33.87S", -33.87), ("+7", 7)])
    func degrees(text: String, value: Double) throws {
        #expect(try CaptureSettings(options: [("latitude", text)]).latitude == value)
    }

    @Test(
        "Invalid degrees are refused",
        arguments: ["", "N", "91", "-90.1", "52,52", "1e2", "nan", "inf", "0x1p3", "-5N", "52.52W", "5.", ".5", "--5"])
    func noDegrees(text: String) {
        #expect(throws: CaptureError.self) { try CaptureSettings(options: [("latitude", text)]) }
    }
}
