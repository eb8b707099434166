// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Testing

@testable import ScheduleKit

/// Figures of the U. S. Naval Observatory, Astronomical Applications Department, which rounds to minutes: the tables "Rise
/// and Set for the Sun" for 2019 and 2023, and its data of one day, of 2025 and 2026. UTC throughout.
@Suite("The sun")
struct SolarDayTests {
    private func day(_ latitude: Double, _ longitude: Double, _ noon: String) -> SolarDay {
        SolarDay(near: .utc(noon), at: Place(latitude: latitude, longitude: longitude))
    }

    private func isNear(_ moment: WallMoment, _ text: String, within seconds: Int64 = 75) -> Bool {
        abs((moment - .utc(text)).components.seconds) <= seconds
    }

    @Test(
        "Sunrise and sunset are those of the almanac",
        arguments: [
            // 60 N, Greenwich.
            (60, 0, "2019-01-01 09:02", "2019-01-01 15:05"), (60, 0, "2019-03-20 06:03", "2019-03-20 18:14"),
            (60, 0, "2019-06-21 02:36", "2019-06-21 21:28"), (60, 0, "2019-09-23 05:46", "2019-09-23 17:58"),
            (60, 0, "2019-11-11 07:47", "2019-11-11 15:40"), (60, 0, "2019-12-21 09:02", "2019-12-21 14:54"),
            // 60 S, 150 W: it sets on the next day by UTC.
            (-60, -150, "2019-01-01 12:43", "2019-01-02 07:23"), (-60, -150, "2019-06-21 19:06", "2019-06-22 00:58"),
            (-60, -150, "2019-10-09 14:56", "2019-10-10 04:40"),
            // Fredonia, Arizona: local times plus 7 hours.
            (36.95, -112.52, "2023-01-15 14:42", "2023-01-16 00:37"),
            (36.95, -112.52, "2023-04-10 13:03", "2023-04-11 02:00"),
            (36.95, -112.52, "2023-08-20 12:51", "2023-08-21 02:15"),
            // Quito, Sydney, Ushuaia, Oslo, Reykjavik.
            (-0.1807, -78.4678, "2025-03-20 11:18", "2025-03-20 23:24"),
            (-33.8688, 151.2093, "2025-09-21 19:45", "2025-09-22 07:51"),
            (-54.8019, -68.3030, "2025-12-21 07:52", "2025-12-22 01:11"),
            (59.9139, 10.7522, "2025-06-21 01:54", "2025-06-21 20:44"),
            (64.1466, -21.9426, "2025-12-21 11:22", "2025-12-21 15:30"),
        ] as [(Double, Double, String, String)])
    func horizon(latitude: Double, longitude: Double, rise: String, set: String) {
        let middle = WallMoment.utc(rise) + (WallMoment.utc(set) - WallMoment.utc(rise)) / 2
        let light = SolarDay(near: middle, at: Place(latitude: latitude, longitude: longitude)).light(.horizon)
        #expect(isNear(light.lowerBound, rise) && isNear(light.upperBound, set), "\(light)")
    }

    @Test(
        "The beginning and the end of civil twilight are those of the almanac",
        arguments: [
            (59.9139, 10.7522, "2025-06-21 00:10", "2025-06-21 22:28"),
            (59.9139, 10.7522, "2025-12-21 07:21", "2025-12-21 15:10"),
            (64.1466, -21.9426, "2025-12-21 10:03", "2025-12-21 16:49"),
            (51.5074, -0.1278, "2025-06-21 02:55", "2025-06-21 21:09"),
            (-0.1807, -78.4678, "2025-03-20 10:57", "2025-03-20 23:45"),
            (70, 0, "2025-12-21 09:55", "2025-12-21 14:02"),
        ] as [(Double, Double, String, String)])
    func twilight(latitude: Double, longitude: Double, dawn: String, dusk: String) {
        let middle = WallMoment.utc(dawn) + (WallMoment.utc(dusk) - WallMoment.utc(dawn)) / 2
        let light = SolarDay(near: middle, at: Place(latitude: latitude, longitude: longitude)).light(.civilTwilight)
        #expect(isNear(light.lowerBound, dawn) && isNear(light.upperBound, dusk), "\(light)")
    }

    @Test("The sun does not set on a polar day: its light lasts from midnight to midnight")
    func polarDay() {
        let light = day(70, 0, "2025-06-21 12:00").light(.horizon)
        #expect(isNear(light.lowerBound, "2025-06-21 00:02") && isNear(light.upperBound, "2025-06-22 00:02"))
        #expect(isNear(day(70, 0, "2025-06-21 12:00").noon, "2025-06-21 12:02"))
    }

    @Test("The sun does not rise in a polar night, and its day has no length")
    func polarNight() {
        let light = day(80, 0, "2019-12-21 12:00").light(.horizon)
        #expect(light.isEmpty && isNear(light.lowerBound, "2019-12-21 11:58"))
    }

    @Test(
        "Polar days and nights begin and end on the days of the almanac",
        arguments: [
            ("2025-05-14", "day"), ("2025-05-18", "all"), ("2025-07-26", "all"), ("2025-07-30", "day"),
            ("2025-11-24", "day"), ("2025-11-25", "none"), ("2026-01-16", "none"), ("2026-01-17", "day"),
        ])
    func boundaries(date: String, state: String) {
        let light = day(70, 0, date + " 12:00").light(.horizon)
        let length = light.upperBound - light.lowerBound
        #expect((length == .zero ? "none" : length > .seconds(86100) ? "all" : "day") == state, "\(length)")
    }

    @Test("The sun has a noon and a day at all times and places", arguments: [-90, -89.99, -66.5, 0, 66.5, 89.99, 90])
    func everywhere(latitude: Double) {
        for longitude in [-180.0, -179.9, 0, 179.9, 180] {
            for seconds in [-9_000_000_000, -1, 0, 1_800_000_000, 9_000_000_000] as [Int64] {
                let moment = WallMoment(seconds: seconds)
                let day = SolarDay(near: moment, at: Place(latitude: latitude, longitude: longitude))
                #expect(abs((day.noon - moment).components.seconds) <= 43200 + 1100)
                let light = day.light(.horizon)
                #expect(light.lowerBound <= day.noon + .seconds(300) && light.upperBound >= day.noon - .seconds(300))
                #expect(light.upperBound - light.lowerBound <= .seconds(86700))
            }
        }
    }
}
