// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import PipelineKit
import ScheduleKit
import Testing

@testable import CaptureKit

@Suite("A camera that rests between pictures")
struct CameraRestTests {
    private typealias Machine = CaptureMachine

    private static func time(_ seconds: Int) -> ClockTime { ClockTime(nanoseconds: UInt64(seconds) * 1_000_000_000) }

    private static func slot(_ index: Int, every interval: Int = 60) -> Slot {
        Slot(index: index, due: time(1000 + index * interval))
    }

    /// A series with an interval of a minute whose first picture was just captured.
    private static func afterFirst(rest: Duration? = .seconds(5)) -> (Machine, [Machine.Effect]) {
        var plan = Machine.Plan(schedule: .every(.seconds(60)), recovers: true)
        plan.rest = rest
        var machine = Machine(plan)
        for input in [Machine.Input.start, .ready, .wake, .found] { _ = machine.handle(input, at: time(1000)) }
        let effects = machine.handle(.picked, at: time(1000))
        _ = machine.handle(.stored, at: time(1000))
        return (machine, effects)
    }

    @Test("A camera is closed after a picture, and opened ten seconds before the next")
    func restsAndRouses() {
        var (machine, effects) = Self.afterFirst()
        #expect(effects == [.rest(until: Self.slot(1)), .wake(Self.time(1050))])
        #expect(machine.isResting)
        #expect(machine.handle(.wake, at: Self.time(1050)).first == .rouse)
        #expect(!machine.isResting)
        #expect(machine.handle(.ready, at: Self.time(1053)) == [])
        #expect(machine.handle(.wake, at: Self.time(1060)).contains(.pick(Self.slot(1))))
    }

    @Test("A camera is opened one and a half times its last opening time ahead, plus a second")
    func learns() {
        var (machine, _) = Self.afterFirst()
        _ = machine.handle(.wake, at: Self.time(1050))
        _ = machine.handle(.ready, at: Self.time(1054))
        for input in [Machine.Input.wake, .found, .stored] { _ = machine.handle(input, at: Self.time(1060)) }
        let effects = machine.handle(.picked, at: Self.time(1060))
        #expect(effects.contains(.wake(Self.time(1120 - 7))))
    }

    @Test("A camera stays open if pauses are short, or if no rest is configured")
    func staysOpen() {
        #expect(!Self.afterFirst(rest: nil).0.isResting)
        #expect(!Self.afterFirst(rest: .seconds(61)).0.isResting)
    }

    @Test("A trigger opens the camera at once")
    func trigger() {
        var (machine, _) = Self.afterFirst()
        let slot = Slot(index: 0, due: Self.time(1010), cause: .trigger)
        #expect(machine.handle(.trigger, at: Self.time(1010)).first == .rouse)
        #expect(machine.phase == .picking(slot))
        #expect(machine.handle(.ready, at: Self.time(1014)) == [.pick(slot)])
    }

    @Test("A camera that was ready just as it was closed does not count as open")
    func lateReady() {
        var (machine, _) = Self.afterFirst()
        #expect(machine.handle(.ready, at: Self.time(1001)) == [])
        _ = machine.handle(.wake, at: Self.time(1050))
        #expect(!machine.handle(.wake, at: Self.time(1060)).contains(.pick(Self.slot(1))))
        #expect(machine.handle(.ready, at: Self.time(1062)) == [.pick(Self.slot(1))])
    }

    @Test("A rest ends when a machine that was suspended wakes up late")
    func suspended() {
        var (machine, _) = Self.afterFirst()
        let effects = machine.handle(.suspended(.seconds(55)), at: Self.time(1001))
        #expect(effects.contains(.rouse))
    }

    @Test("By default a camera rests through a night, and not between the pictures of a day")
    func nights() throws {
        var configuration = CaptureConfiguration(source: .camera(.scene), output: .caller)
        configuration.schedule = .every(.seconds(60))
        #expect(Machine.Plan(configuration).rest == .seconds(600))
        configuration.schedule = .every(.seconds(3600))
        #expect(Machine.Plan(configuration).rest == .seconds(7200))
        configuration.standsBy = true
        #expect(Machine.Plan(configuration).rest == CameraRest.shortest)
        configuration.schedule = .single
        #expect(Machine.Plan(configuration).rest == nil)
    }
}
