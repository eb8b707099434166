// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import CaptureBase
import Foundation
import SystemBase
import Testing

@testable import ScheduleKit

@Suite("A watch on the clocks", .timeLimit(.minutes(5)))
struct ClockWatchTests {
    private let before = ClockReading(wall: .seconds(1_000_000), suspended: .seconds(50))

    private func changes(wall: Duration, suspended: Duration) -> [String] {
        ClockReading(wall: before.wall + wall, suspended: before.suspended + suspended).changes(since: before).map {
            switch $0 {
            case .suspended(let span): "suspended \(span.shortText)"
            case .set(let timeLine): "set to \((timeLine.origin - WallMoment(nanoseconds: 0)).shortText)"
            }
        }
    }

    @Test("The timer that reports a set clock does not expire by itself, even if the clock is far ahead")
    func timer() throws {
        let timer = ctimerfd_create_realtime()
        try #require(timer >= 0)
        defer { close(timer) }
        #expect(ctimerfd_arm_until_clock_is_set(timer) == 0)
        // "it_value: (seconds, nanoseconds)", until the timer expires (proc(5)).
        let facts = try String(contentsOfFile: "/proc/self/fdinfo/\(timer)", encoding: .utf8)
        let rest = try #require(facts.split(separator: "it_value: (").last?.prefix { $0.isNumber })
        #expect(try #require(Int(rest)) > 5_000_000_000, "more than a century")
    }

    @Test("Steps of the wall clock and suspensions are reported as different changes, and both at once")
    func kinds() {
        #expect(changes(wall: .zero, suspended: .zero) == [])
        #expect(changes(wall: .seconds(60), suspended: .seconds(60)) == ["suspended 1m"])
        #expect(changes(wall: .seconds(-3600), suspended: .zero) == ["set to 11d12h46m40s"])
        #expect(changes(wall: .seconds(90), suspended: .seconds(60)) == ["suspended 1m", "set to 11d13h48m10s"])
        // A wall clock that did not advance during the suspension also counts as set.
        #expect(changes(wall: .zero, suspended: .seconds(60)) == ["suspended 1m", "set to 11d13h46m40s"])
    }

    @Test("A difference of the clocks of less than a millisecond is not reported")
    func noise() {
        #expect(changes(wall: .microseconds(800), suspended: .microseconds(-300)) == [])
    }

    @Test("A reading of the clocks that the scheduler interrupted reports no change", arguments: [false, true])
    func interrupted(isFirst: Bool) {
        var (first, second) = (before, before)
        second.wall = second.wall + .milliseconds(30)
        second.suspended = second.suspended + .milliseconds(30)
        if isFirst { first.uncertainty = .milliseconds(30) } else { second.uncertainty = .milliseconds(30) }
        #expect(second.changes(since: first).isEmpty)
        first.uncertainty = .zero
        second.uncertainty = .milliseconds(2)
        #expect(second.changes(since: first).count == 1, "a real suspension, read less precisely")
    }

    @Test("Two readings of the clocks in a row report no change")
    func reading() {
        let (first, second) = (ClockReading.now(), ClockReading.now())
        #expect(second.changes(since: first).isEmpty)
    }

    @Test("A moment of the monotonic clock lies between two readings of the wall clock around it")
    func conversion() {
        let earlier = WallMoment(.now())
        let moment = ClockTime.now
        let later = WallMoment(.now())
        let reading = ClockReading.now()
        let converted = reading.timeLine.wall(moment)
        #expect(earlier - reading.uncertainty <= converted && converted <= later + reading.uncertainty)
    }

    @Test("A clock watch first reports the changes since an earlier reading")
    func start() async {
        var earlier = ClockReading.now()
        earlier.suspended = earlier.suspended - .seconds(3600)
        earlier.wall = earlier.wall - .seconds(3600)
        for await change in ClockWatch.changes(since: earlier) {
            if case .suspended(let span) = change {
                #expect(abs((span - .seconds(3600)).nanoseconds) < 10_000_000)
            } else {
                Issue.record("\(change)")
            }
            break
        }
    }
}
