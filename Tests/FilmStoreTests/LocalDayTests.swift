// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit
import Testing

@testable import FilmStore

@Suite("A day of the calendar")
struct LocalDayTests {
    private static func time(_ seconds: Int64, _ offset: Int = 0) -> WallTime {
        WallTime(seconds: seconds, nanoseconds: 0, utcOffset: offset)
    }

    @Test func `It is the day that clocks of the zone show`() {
        // 2026-12-01 23:30 UTC.
        let late: Int64 = 1_796_167_800
        #expect(LocalDay(Self.time(late)).description == "2026-12-01")
        #expect(LocalDay(Self.time(late, 3600)).description == "2026-12-02")
        #expect(LocalDay(Self.time(late)) < LocalDay(Self.time(late, 3600)))
        #expect(LocalDay(Self.time(-1)).description == "1969-12-31")
    }

    @Test func `The name of a film begins with its day`() throws {
        for name in ["2026-12-01.mp4", "2026-12-01-2.mp4", "2028-02-29.mp4"] {
            #expect(try #require(LocalDay(startOf: name)).description == String(name.prefix(10)))
        }
        for name in ["", "film.mp4", "2026-02-30.mp4", "2026-13-01.mp4", "99999-1-01", "2026-1-001", "-026-12-01"] {
            #expect(LocalDay(startOf: name) == nil, "\(name)")
        }
    }

    @Test func `It ends at the next midnight, also if the clocks are changed`() throws {
        let day = try #require(LocalDay(startOf: "2026-03-29"))
        // Berlin: summer time begins at 01:00 UTC.
        let berlin = Zone { $0 < 1_774_746_000 ? 3600 : 7200 }
        #expect(day.start(in: berlin).seconds == 1_774_738_800 && day.end(in: berlin) == 1_774_738_800 + 23 * 3600)
    }
}
