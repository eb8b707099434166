// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import SystemBase
import Testing

@testable import ScheduleKit

@Suite("A series of slots")
struct SlotSeriesTests {
    /// A series that begins at the start of the test, when clocks show `text` in UTC.
    private func series(
        _ interval: Duration, at text: String = "2026-06-15 07:53", _ zone: Zone = .utc, count: Int? = nil,
        for length: Duration? = nil, _ change: (inout Schedule) -> Void = { _ in }
    ) -> SlotSeries {
        var schedule = Schedule.every(interval, count: count, for: length)
        change(&schedule)
        var series = SlotSeries(schedule, timeLine: .at(text, zone))
        series.begin(at: .after(.zero))
        return series
    }

    @Test("A plain series has its slots at the anchor plus k intervals, to the nanosecond")
    func plain() {
        var series = series(.nanoseconds(1_000_000_007), count: 1000)
        for index in 0..<1000 {
            #expect(series.next == Slot(index: index, due: .after(.nanoseconds(1_000_000_007) * index)))
            series.advance()
        }
        #expect(series.next == nil && series.remaining == 0)
    }

    @Test("A series ends by count or by time, whichever comes first")
    func ends() {
        #expect(series(.seconds(10), count: 7).remaining == 7)
        #expect(series(.seconds(10), count: 7, for: .seconds(25)).remaining == 3)
        #expect(series(.seconds(10), count: 2, for: .seconds(25)).remaining == 2)
        #expect(series(.seconds(10), for: .seconds(30)).remaining == 3)
        #expect(series(.seconds(10)).remaining == nil)
    }

    @Test("The number after the last slot does not overflow")
    func largestCount() {
        var series = SlotSeries(.every(.seconds(10), count: .max), firstIndex: 5)
        series.begin(at: .after(.zero))
        #expect(series.next?.index == 5 && series.remaining == .max - 5)
    }

    @Test("An aligned series has its slots when clocks show multiples of the interval")
    func aligned() {
        var quarters = series(.seconds(900), at: "2026-06-15 07:53") { $0.isAligned = true }
        #expect(quarters.times(3) == ["08:00", "08:15", "08:30"])
        var now = series(.seconds(900), at: "2026-06-15 08:00") { $0.isAligned = true }
        #expect(now.times(2) == ["08:00", "08:15"])
        var days = series(.seconds(86400), at: "2026-06-15 08:00", .berlin) { $0.isAligned = true }
        #expect(days.times(2) == ["00:00", "00:00"])
        // Zone offsets need not be whole hours.
        var india = series(.seconds(3600), at: "2026-06-15 07:53", .fixed(19800)) { $0.isAligned = true }
        #expect(india.times(2) == ["14:00", "15:00"])
    }

    @Test("An aligned series follows the clock when it is put forward and back")
    func alignedDaylightSaving() {
        var spring = series(.seconds(7200), at: "2026-03-28 21:30", .berlin) { $0.isAligned = true }
        // 02:00 does not exist: the clock jumps from 01:59:59 to 03:00.
        #expect(spring.times(4) == ["00:00", "04:00", "06:00", "08:00"])
        var autumn = series(.seconds(3600), at: "2026-10-24 23:30", .berlin) { $0.isAligned = true }
        #expect(autumn.times(4) == ["02:00", "02:00", "03:00", "04:00"])
        var count = series(.seconds(600), at: "2026-10-24 22:00", .berlin) {
            ($0.isAligned, $0.until) = (true, try? WallClockTarget(parsing: "2026-10-26 00:00"))
        }
        #expect(count.remaining == 25 * 6)
        #expect(count.skip(before: .after(.seconds(25 * 3600)))?.count == 25 * 6)
    }

    @Test("A series has no slots outside of its hours, and numbers the slots inside")
    func windows() throws {
        let hours = OpenHours([try DailyHours(parsing: "08:00-10:00"), try DailyHours(parsing: "20:00-21:00")])
        var series = series(.seconds(3600)) { $0.openHours = hours }
        #expect(series.next?.index == 0)
        #expect(series.times(5) == ["08:00", "09:00", "20:00", "08:00", "09:00"])
        #expect(series.next?.index == 5)
        // A series that begins during its hours starts at once.
        var open = self.series(.seconds(3600), at: "2026-06-15 08:20") { $0.openHours = hours }
        #expect(open.times(4) == ["08:20", "09:20", "20:20", "08:20"])
        var aligned = self.series(.seconds(3600), at: "2026-06-15 08:20") {
            ($0.openHours, $0.isAligned) = (hours, true)
        }
        #expect(aligned.times(3) == ["09:00", "20:00", "08:00"])
    }

    @Test("A series whose conditions never coincide has no slots")
    func never() throws {
        let hours = OpenHours([try DailyHours(parsing: "08:00-08:30")])
        let series = series(.seconds(86400), at: "2026-06-15 09:00") { ($0.openHours, $0.isAligned) = (hours, true) }
        #expect(series.next == nil && series.remaining == 0)
    }

    @Test("A series begins at its start, and counts from a start in the past")
    func start() throws {
        var evening = series(.seconds(3600)) { $0.start = try? WallClockTarget(parsing: "18:05Z") }
        #expect(evening.times(2) == ["18:05", "19:05"])
        var past = series(.seconds(3600)) { $0.start = try? WallClockTarget(parsing: "2026-01-01 00:05Z") }
        #expect(past.next?.index == 0)
        #expect(past.times(2) == ["08:05", "09:05"])
    }

    @Test("A series ends at the first matching time of day after its start")
    func until() throws {
        let series = series(.seconds(3600), at: "2026-06-15 12:00") {
            ($0.start, $0.until) = (try? WallClockTarget(parsing: "08:00Z"), try? WallClockTarget(parsing: "18:00Z"))
        }
        #expect(series.remaining == 10)
    }

    @Test("A time of day that ends a series does not end it before its hours open")
    func untilWhenOpen() throws {
        // A Friday.
        let series = series(.seconds(3600), at: "2026-06-12 12:00") {
            ($0.openHours, $0.until) = (OpenHours([], on: [.monday]), try? WallClockTarget(parsing: "18:00Z"))
        }
        #expect(series.remaining == 18)
    }

    @Test("Many slots can be skipped at once, and all of them are counted", arguments: [false, true])
    func skipping(isAligned: Bool) throws {
        let hours = OpenHours([try DailyHours(parsing: "08:00-10:00")], on: [.monday, .tuesday])
        let whole = series(.seconds(600)) { ($0.openHours, $0.isAligned) = (hours, isAligned) }
        for span in [0, 1, 419, 420, 421, 7000, 100_000, 1_000_000, 5_000_000] {
            var (skipping, walking, count) = (whole, whole, 0)
            let now = ClockTime.after(.seconds(span))
            let run = skipping.skip(untilLatestBy: now)
            while let after = walking.afterNext, after.due <= now {
                walking.advance()
                count += 1
            }
            #expect((run?.count ?? 0) == count)
            #expect(skipping.next == walking.next && skipping.afterNext == walking.afterNext)
            #expect(run?.last.index ?? -1 == count - 1)
        }
    }

    @Test("A month of suspension at an interval of a second is one run of 2.6 million slots")
    func month() {
        var series = series(.seconds(1))
        series.suspend(.seconds(30 * 86400))
        let run = series.skip(untilLatestBy: .after(.milliseconds(500)))
        #expect(run?.count == 2_592_000)
        #expect(run?.last.dueTime.seconds == WallMoment.utc("2026-07-15 07:52:59").seconds)
        #expect(series.next == Slot(index: 2_592_000, due: .after(.zero)))
    }

    @Test("A series keeps its phase when the machine was suspended")
    func suspended() {
        var series = series(.seconds(60))
        #expect(series.times(2) == ["07:53", "07:54"])
        series.suspend(.seconds(90))
        // The monotonic clock stood still, so by it 07:55 comes 90 seconds earlier.
        #expect(series.next == Slot(index: 2, due: .after(.seconds(30))))
        #expect(series.times(2) == ["07:55", "07:56"])
    }

    @Test("A plain series does not move when the clock is set", arguments: [-3600, 1, 86400 * 365])
    func plainStep(step: Int) {
        var series = series(.seconds(60), count: 10, for: .seconds(540))
        series.advance()
        let (next, after) = (series.next, series.afterNext)
        var timeLine = series.timeLine
        timeLine.origin = timeLine.origin + .seconds(step)
        series.set(timeLine, at: .after(.seconds(30)), isInHand: false)
        #expect(series.next == next && series.afterNext == after && series.remaining == 8)
    }

    @Test("An aligned series follows a clock that is set, and loses no slot")
    func alignedStep() {
        var series = series(.seconds(600), at: "1970-01-02 00:01") { $0.isAligned = true }
        #expect(series.times(1) == ["00:10"])
        series.set(.at("2026-06-15 11:48"), at: .after(.seconds(600)), isInHand: false)
        #expect(series.next == Slot(index: 1, due: .after(.seconds(720))))
        #expect(series.times(2) == ["12:00", "12:10"])
        // The clock goes back by half an hour while a picture is captured.
        series.set(.at("2026-06-15 11:48").movedBack, at: .after(.seconds(1920)), isInHand: true)
        #expect(series.next?.index == 3)
        series.advance()
        #expect(series.times(2) == ["12:00", "12:10"])
    }

    @Test("Hours, start and end follow a clock that is set")
    func termsStep() throws {
        let hours = OpenHours([try DailyHours(parsing: "08:00-10:00")])
        var windows = series(.seconds(3600), at: "1970-01-01 12:00") { $0.openHours = hours }
        windows.set(.at("2026-06-15 08:30"), at: .after(.zero), isInHand: false)
        #expect(windows.times(2) == ["08:30", "09:30"])
        var start = series(.seconds(3600), at: "1970-01-01 12:00", count: 9) {
            ($0.start, $0.until) = (try? WallClockTarget(parsing: "08:00Z"), try? WallClockTarget(parsing: "10:00Z"))
        }
        start.set(.at("2026-06-15 06:00"), at: .after(.zero), isInHand: false)
        #expect(start.remaining == 2)
        #expect(start.next?.due == .after(.seconds(7200)))
        #expect(start.times(2) == ["08:00", "09:00"])
        var running = series(.seconds(3600), at: "1970-01-01 07:00") {
            ($0.start, $0.until) = (try? WallClockTarget(parsing: "08:00Z"), try? WallClockTarget(parsing: "18:00Z"))
        }
        running.advance()
        running.set(.at("2026-06-15 11:30"), at: .after(.zero), isInHand: false)
        #expect(running.times(9) == ["13:30", "14:30", "15:30", "16:30", "17:30"])
    }

    @Test("A resumed series ends at the same time as before", arguments: [nil, "09:00-18:00"])
    func resumedWithEnd(hours: String?) throws {
        var schedule = Schedule.every(.seconds(3600))
        (schedule.start, schedule.until) = (
            try WallClockTarget(parsing: "08:00Z"), try WallClockTarget(parsing: "18:00Z")
        )
        schedule.openHours = try hours.map { OpenHours([try DailyHours(parsing: $0)]) }
        var series = SlotSeries(schedule, timeLine: .at("2026-06-15 12:00"))
        let anchor = WallTime(WallMoment.utc("2026-06-15 09:00"))
        series.resume(
            SeriesPosition(anchor: anchor, lastIndex: 2, lastDue: anchor.adding(.seconds(7200))), at: .after(.zero))
        #expect(series.times(7) == ["12:00", "13:00", "14:00", "15:00", "16:00", "17:00"])
    }

    @Test("A resumed series keeps its phase and continues with the next number")
    func resumed() {
        var series = SlotSeries(
            .every(.seconds(60), count: 100, for: .seconds(4000)), timeLine: .at("2026-06-15 08:00"))
        let anchor = WallTime(WallMoment.utc("2026-06-15 07:30:07"))
        series.resume(
            SeriesPosition(anchor: anchor, lastIndex: 4, lastDue: anchor.adding(.seconds(240))), at: .after(.zero))
        #expect(series.next?.index == 5 && series.remaining == 62)
        let run = series.skip(before: .after(.zero))
        #expect(run?.first.index == 5 && run?.last.index == 29)
        #expect(series.times(1) == ["08:00:07"])
    }

    @Test("With a clock behind its last slot, a series continues within an interval, and does so when the clock is set")
    func clockBehind() {
        var series = SlotSeries(
            .every(.seconds(60), count: 100, for: .seconds(4000)), timeLine: .at("2026-04-27 00:00:10"))
        let anchor = WallTime(WallMoment.utc("2026-11-28 07:30:07"))
        let position = SeriesPosition(anchor: anchor, lastIndex: 4, lastDue: anchor.adding(.seconds(240)))
        #expect(series.resume(position, at: .after(.zero)) != nil)
        #expect(series.next?.index == 5 && series.next?.due == .after(.seconds(60)) && series.remaining == 62)
        series.set(.at("2026-11-28 09:00"), at: .after(.zero), isInHand: false)
        #expect(series.next?.index == 5 && series.next?.due == .after(.seconds(60)) && series.remaining == 62)
    }

    @Test("With a clock behind its last slot, aligned slots follow the clock, before and after it is set")
    func alignedClockBehind() {
        var schedule = Schedule.every(.seconds(600))
        schedule.isAligned = true
        var series = SlotSeries(schedule, timeLine: .at("2026-04-27 00:03"))
        let anchor = WallTime(WallMoment.utc("2026-11-28 07:30"))
        let position = SeriesPosition(anchor: anchor, lastIndex: 4, lastDue: anchor.adding(.seconds(2400)))
        #expect(series.resume(position, at: .after(.zero)) != nil)
        #expect(series.next?.due == .after(.seconds(7 * 60)))
        series.set(.at("2026-11-28 09:01"), at: .after(.zero), isInHand: false)
        #expect(series.times(2) == ["09:10", "09:20"])
    }

    @Test("A clock that was corrected by less than an interval moves no slot of a resumed series")
    func clockSlightlyBehind() {
        var series = SlotSeries(.every(.seconds(60)), timeLine: .at("2026-06-15 08:00"))
        let last = WallTime(WallMoment.utc("2026-06-15 08:00:50"))
        #expect(series.resume(SeriesPosition(anchor: last, lastIndex: 0, lastDue: last), at: .after(.zero)) == nil)
        #expect(series.times(1) == ["08:01:50"])
    }

    @Test("A series that was anchored but has no picture begins at its anchor")
    func resumedAtAnchor() {
        var series = SlotSeries(.every(.seconds(60)), timeLine: .at("2026-06-15 08:00"))
        let anchor = WallTime(WallMoment.utc("2026-06-15 09:00"))
        series.resume(SeriesPosition(anchor: anchor, lastIndex: -1, lastDue: anchor), at: .after(.zero))
        #expect(series.next?.index == 0)
        #expect(series.times(1) == ["09:00"])
    }

    @Test(
        "Any position and any clock are accepted without a trap",
        arguments: [Int64.min, -1, 0, 1 << 40, .max], [Int.min, -2, 0, 1 << 40, .max])
    func hostile(seconds: Int64, index: Int) throws {
        for isAligned in [false, true] {
            var schedule = Schedule.every(.seconds(3600), count: index)
            schedule.isAligned = isAligned
            var series = SlotSeries(schedule, timeLine: .at("2026-06-15 08:00"))
            let anchor = WallTime(seconds: seconds, nanoseconds: 999_999_999, utcOffset: 0)
            series.resume(SeriesPosition(anchor: anchor, lastIndex: index, lastDue: anchor), at: .after(.zero))
            _ = (series.next, series.remaining, series.skip(before: .after(.zero)))
            series.set(TimeLine(.zero, is: anchor, zone: .utc), at: .after(.zero), isInHand: false)
            series.suspend(.seconds(Int64.max / 4))
            _ = (series.next, series.skip(untilLatestBy: .after(.seconds(1))))
            series.advance()
        }
    }
}

extension TimeLine {
    /// The same time line with the clock put back by half an hour.
    fileprivate var movedBack: TimeLine { TimeLine(origin: origin - .seconds(1800), zone: zone) }
}
