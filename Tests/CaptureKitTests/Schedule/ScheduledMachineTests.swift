// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PipelineKit
import Testing

@testable import CaptureKit
@testable import ScheduleKit

@Suite("Scheduled capture")
struct ScheduledMachineTests {
    private typealias Machine = CaptureMachine

    /// A machine that is ready at the start of the test, and the effects of its `.ready` input.
    private static func ready(
        _ schedule: Schedule, at text: String = "2026-06-15 08:00", position: SeriesPosition? = nil,
        succession: SeriesSuccession? = nil
    ) -> (machine: Machine, effects: [Machine.Effect]) {
        var machine = Machine(
            .init(schedule: schedule, timeLine: .at(text), position: position, succession: succession))
        _ = machine.handle(.start, at: .after(.zero))
        let effects = machine.handle(.ready, at: .after(.zero))
        return (machine, effects)
    }

    private static func missed(_ effects: [Machine.Effect]) -> [String] {
        effects.compactMap {
            guard case .missed(let slots, let reason) = $0 else { return nil }
            return "\(slots.first.index)-\(slots.last.index) \(reason.rawValue)"
        }
    }

    /// Captures the picture of the due slot, which takes no time.
    private static func take(_ machine: inout Machine, at now: ClockTime) {
        for input in [Machine.Input.wake, .found, .picked, .stored] { _ = machine.handle(input, at: now) }
    }

    @Test("The capture machine states when the next picture is due")
    func nextDue() {
        var (machine, _) = Self.ready(.every(.seconds(60)))
        Self.take(&machine, at: .after(.zero))
        #expect(machine.nextDue == .after(.seconds(60)))
    }

    @Test("A suspended hour is one run of missed slots, and the series keeps its phase")
    func suspended() {
        var (machine, _) = Self.ready(.every(.seconds(60)))
        Self.take(&machine, at: .after(.zero))
        let effects = machine.handle(.suspended(.seconds(3600)), at: .after(.seconds(10)))
        #expect(Self.missed(effects) == ["1-59 overslept"])
        // The last slot, due 10 seconds ago, can still be met.
        #expect(machine.nextDue == .after(.zero))
        Self.take(&machine, at: .after(.seconds(10)))
        #expect(machine.nextDue == .after(.seconds(60)))
    }

    @Test("A series resumed with another schedule starts at its next moment, and misses no slot")
    func otherSchedule() {
        let anchor = WallTime(.utc("2026-06-15 07:50"))
        let position = SeriesPosition(anchor: anchor, lastIndex: 9, lastDue: anchor.adding(.seconds(540)))
        let plain = Self.ready(.every(.seconds(1), count: 12), position: position, succession: .newPhase)
        #expect(plain.machine.nextSlot?.index == 10 && plain.machine.nextDue == .after(.zero))
        #expect(Self.missed(plain.effects).isEmpty && plain.machine.unreachedSlots == 2)
        var schedule = Schedule.every(.seconds(900))
        schedule.isAligned = true
        let aligned = Self.ready(schedule, at: "2026-06-15 08:01", position: position, succession: .newPhase)
        #expect(aligned.machine.nextDue == .after(.seconds(840)) && Self.missed(aligned.effects).isEmpty)
    }

    @Test("A series resumed with another interval does not repeat a start in the past", arguments: ["07:50", "09:00"])
    func otherInterval(start: String) throws {
        let anchor = WallTime(.utc("2026-06-15 07:50"))
        let position = SeriesPosition(anchor: anchor, lastIndex: 9, lastDue: anchor.adding(.seconds(540)))
        var schedule = Schedule.every(.seconds(240))
        schedule.start = try WallClockTarget(parsing: start)
        let (machine, _) = Self.ready(schedule, position: position, succession: .newPhase)
        // Intervals are counted from a start in the past; the machine waits for one in the future.
        #expect(machine.nextDue == .after(.seconds(start == "07:50" ? 120 : 3600)))
    }

    @Test("A series resumed with the same schedule keeps its phase, and slots due meanwhile are overslept")
    func sameSchedule() {
        let anchor = WallTime(.utc("2026-06-15 07:50"))
        let position = SeriesPosition(anchor: anchor, lastIndex: 5, lastDue: anchor.adding(.seconds(300)))
        let (machine, effects) = Self.ready(
            .every(.seconds(60)), at: "2026-06-15 07:58:30", position: position, succession: .samePhase)
        #expect(Self.missed(effects) == ["6-7 overslept"])
        #expect(machine.nextSlot?.index == 8 && machine.nextDue == .after(.seconds(-30)))
    }

    @Test("A series whose last slot is ahead of the clock says so, misses no slot, and continues within an interval")
    func clockBehind() {
        let anchor = WallTime(.utc("2026-11-28 07:50"))
        let position = SeriesPosition(anchor: anchor, lastIndex: 5, lastDue: anchor.adding(.seconds(300)))
        var (machine, effects) = Self.ready(.every(.seconds(60)), at: "2026-11-27 07:55", position: position)
        #expect(effects.first == .clockIsBehind(.seconds(86400)) && Self.missed(effects).isEmpty)
        #expect(machine.nextSlot?.index == 6 && machine.nextDue == .after(.seconds(60)))
        _ = machine.handle(.clockSet(.at("2031-05-01 12:00")), at: .after(.seconds(1)))
        #expect(machine.nextSlot?.index == 6 && machine.nextDue == .after(.seconds(60)))
    }

    @Test("A suspension brings self-timers and deadlines forward by its length")
    func suspendedTimer() {
        var (machine, _) = Self.ready(.onRequest(for: .seconds(300)))
        _ = machine.handle(.timer(.seconds(100)), at: .after(.zero))
        let effects = machine.handle(.suspended(.seconds(60)), at: .after(.seconds(1)))
        #expect(machine.nextDue == .after(.seconds(40)))
        #expect(effects.contains { if case .wake = $0 { true } else { false } })
        _ = machine.handle(.timer(.zero), at: .after(.seconds(2)))
        #expect(machine.handle(.suspended(.seconds(300)), at: .after(.seconds(3))) == [.end(.completed)])
    }

    @Test("A clock that is set changes the next wake, and no slot is missed")
    func clockSet() {
        var schedule = Schedule.every(.seconds(600))
        schedule.isAligned = true
        var (machine, _) = Self.ready(schedule, at: "1970-01-01 00:05")
        #expect(machine.nextDue == .after(.seconds(300)))
        let effects = machine.handle(.clockSet(.at("2026-06-15 08:08")), at: .after(.zero))
        #expect(effects == [.wake(.after(.seconds(120)))])
        // While a picture is captured, the next slot follows the clock.
        _ = machine.handle(.wake, at: .after(.seconds(120)))
        #expect(
            machine.handle(.clockSet(.at("2026-06-15 09:01")), at: .after(.seconds(121))) == [
                .wake(.after(.seconds(540)))
            ])
        _ = machine.handle(.found, at: .after(.seconds(122)))
        #expect(Self.missed(machine.handle(.picked, at: .after(.seconds(123)))) == [])
        #expect(machine.nextDue == .after(.seconds(540)))
    }

    @Test("A resumed series reports the slots due meanwhile as one missed run")
    func resumed() {
        let anchor = WallTime(WallMoment.utc("2026-06-15 07:00:30"))
        let position = SeriesPosition(anchor: anchor, lastIndex: 9, lastDue: anchor.adding(.seconds(540)))
        let (machine, effects) = Self.ready(.every(.seconds(60), count: 100), position: position)
        #expect(Self.missed(effects) == ["10-59 not-running"])
        #expect(machine.phase == .waiting(Slot(index: 60, due: .after(.seconds(30)))))
        #expect(machine.unreachedSlots == 40)
    }

    @Test("A resumed series whose end has passed completes, and all its slots are accounted for")
    func over() {
        let anchor = WallTime(WallMoment.utc("2026-06-14 07:00"))
        let position = SeriesPosition(anchor: anchor, lastIndex: 0, lastDue: anchor)
        let (_, effects) = Self.ready(.every(.seconds(60), for: .seconds(600)), position: position)
        #expect(Self.missed(effects) == ["1-9 not-running"] && effects.last == .end(.completed))
    }

    @Test("Late slots are captured or skipped as the policy says", arguments: LatePolicy.allCases)
    func late(policy: LatePolicy) {
        var schedule = Schedule.every(.seconds(60))
        schedule.latePolicy = policy
        var (machine, _) = Self.ready(schedule)
        machine.tolerance = .milliseconds(50)
        Self.take(&machine, at: .after(.milliseconds(40)))
        let effects = machine.handle(.wake, at: .after(.seconds(61)))
        #expect(Self.missed(effects) == (policy == .skip ? ["1-1 late"] : []))
        let slot = Slot(index: 1, due: .after(.seconds(60)))
        #expect((machine.phase == .picking(slot)) == (policy == .late))
    }

    @Test("A slot is skipped if its frame is too late")
    func lateFrame() {
        var (machine, _) = Self.ready(.every(.seconds(60)))
        _ = machine.handle(.wake, at: .after(.zero))
        #expect(Self.missed(machine.handle(.tooLate, at: .after(.seconds(1)))) == ["0-0 late"])
        #expect(machine.nextDue == .after(.seconds(60)))
    }

    @Test("A million slots are accounted for once each, in order, in constant memory")
    func million() async {
        // A separate process has its memory to itself.
        await #expect(processExitsWith: .success) {
            try Self.runThrough(.every(.seconds(10), count: 1_000_000))
        }
    }

    @Test("A million slots by the clock, in open hours, are accounted for once each, in order, in constant memory")
    func millionByTheClock() async {
        await #expect(processExitsWith: .success) {
            var schedule = Schedule.every(.seconds(10), count: 1_000_000)
            schedule.isAligned = true
            schedule.openHours = OpenHours(
                [try DailyHours(parsing: "08:00-18:00"), try DailyHours(parsing: "22:00-02:00")],
                on: [.monday, .tuesday, .wednesday, .friday])
            try Self.runThrough(schedule)
        }
    }

    /// Runs a schedule of a million slots to its end.
    private static func runThrough(_ schedule: Schedule) throws {
        var run = LongRun(ready(schedule).machine)
        run.go(to: 10_000)
        let before = LongRun.residentBytes
        run.go(to: .max)
        try #require(run.isInOrder && run.next == 1_000_000 && run.missed > 10_000)
        try #require(LongRun.residentBytes - before < 4_000_000)
    }
}

/// Drives a machine from picture to picture, with occasional sleeps of minutes to a day.
private struct LongRun {
    private var machine: CaptureMachine
    private var generator = SplitMix(7)
    private(set) var next = 0
    private(set) var missed = 0
    private(set) var isInOrder = true

    init(_ machine: CaptureMachine) { self.machine = machine }

    /// Runs up to a slot, or to the end.
    mutating func go(to slot: Int) {
        while next < slot, let due = machine.nextDue, machine.phase != .ended {
            let nap: Duration = generator.next() % 500 == 0 ? .seconds(Int64(generator.next() % 100_000)) : .zero
            for input in [CaptureMachine.Input.wake, .found, .picked, .stored] { handle(input, due + nap) }
        }
    }

    private mutating func handle(_ input: CaptureMachine.Input, _ now: ClockTime) {
        for case .missed(let slots, _) in machine.handle(input, at: now) {
            missed += slots.count
            pass(slots)
        }
        if case .found = input, case .taking(let slot) = machine.phase { pass(SlotRun(slot)) }
    }

    private mutating func pass(_ slots: SlotRun) {
        isInOrder = isInOrder && slots.first.index == next
        next = slots.last.index + 1
    }

    /// The resident memory of this process, in bytes (`/proc/self/statm`).
    static var residentBytes: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4096
    }
}
