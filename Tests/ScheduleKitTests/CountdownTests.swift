// Part of gst-capture. Apache License 2.0, see LICENSE.

import ScheduleKit
import SystemBase
import Testing

@Suite("Countdown")
struct CountdownTests {
    private static func time(_ seconds: Double) -> ClockTime { ClockTime(nanoseconds: UInt64(seconds * 1e9)) }

    @Test("A due second of a countdown is reported once, and of several overdue seconds only the last")
    func seconds() {
        var countdown = Countdown(to: Self.time(10), of: .seconds(3), from: Self.time(5))
        #expect(countdown.next == Self.time(7))
        #expect(countdown.dueSecond(at: Self.time(6)) == nil)
        #expect(countdown.dueSecond(at: Self.time(7)) == .seconds(3))
        #expect(countdown.dueSecond(at: Self.time(7)) == nil)
        #expect(countdown.dueSecond(at: Self.time(9.5)) == .seconds(1))
        #expect(countdown.next == nil)
    }

    @Test("Seconds that have passed before the countdown begins are not reported")
    func late() {
        var countdown = Countdown(to: Self.time(10), of: .seconds(30), from: Self.time(7.5))
        #expect(countdown.next == Self.time(8))
        #expect(countdown.dueSecond(at: Self.time(7.5)) == nil)
        countdown = Countdown(to: Self.time(10), of: .seconds(3), from: Self.time(11))
        #expect(countdown.next == nil)
    }
}
