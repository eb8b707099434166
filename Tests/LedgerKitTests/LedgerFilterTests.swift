// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import LedgerKit
import ScheduleKit
import Testing

@Suite("Filters of a ledger as text")
struct LedgerFilterTests {
    @Test(
        "Slots are parsed from numbers and ranges that count from 1",
        arguments: [("5", 4...4), ("5-20", 4...19), ("-20", 0...19)])
    func slots(text: String, slots: ClosedRange<Int>) throws {
        #expect(try LedgerFilter.slots(parsing: text) == slots)
    }

    @Test(
        "Invalid ranges of slots are refused",
        arguments: ["", "-", "0", "20-5", "a", "1-b", "--", "99999999999999999999"])
    func noSlots(text: String) { #expect(throws: CaptureError.self) { try LedgerFilter.slots(parsing: text) } }

    @Test(
        "Moments in the past are parsed: a day, a time of today, a duration",
        arguments: [
            ("2026-11-20", "2026-11-20 00:00:00"), ("2026-11-20 18:30", "2026-11-20 18:30:00"),
            ("23:59", "2026-11-21 23:59:00"), ("00:01", "2026-11-21 00:01:00"), ("2h", "2026-11-21 10:00:00"),
            ("2h ago", "2026-11-21 10:00:00"),
        ])
    func moments(text: String, moment: String) throws {
        let noon = try WallClockTarget(parsing: "2026-11-21 12:00")
        let now = WallTime(seconds: noon.secondsSince1970(after: 0), nanoseconds: 0)
        #expect(try LedgerFilter.moment(parsing: text, now: now).formatted("%Y-%m-%d %H:%M:%S") == moment)
    }

    @Test("Invalid moments are refused", arguments: ["", "x", "25:00", "2026-13-01", "2 hours", " ago", "ago"])
    func noMoments(text: String) { #expect(throws: CaptureError.self) { try LedgerFilter.moment(parsing: text) } }
}
