// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import ScheduleKit
import Testing

@testable import CaptureKit

@Suite("A series whose camera is lost and reconnects")
struct InterruptedSeriesTests {
    private typealias Machine = CaptureMachine

    private static func time(_ milliseconds: Int) -> ClockTime {
        ClockTime(nanoseconds: UInt64(milliseconds) * 1_000_000)
    }

    private static func slot(_ index: Int) -> Slot { Slot(index: index, due: time(index * 1000)) }

    /// A series with an interval of a second that waits for its first slot.
    private static func ready(_ schedule: Schedule = .every(.seconds(1))) -> Machine {
        var machine = Machine(.init(schedule: schedule, recovers: true))
        _ = machine.handle(.start, at: time(0))
        _ = machine.handle(.ready, at: time(0))
        return machine
    }

    private static func takeFirst(_ machine: inout Machine) {
        for input in [Machine.Input.wake, .found, .picked, .stored] { _ = machine.handle(input, at: time(10)) }
    }

    @Test("Slots that are due while the camera is lost are missed for that reason, and none moves")
    func missed() {
        var machine = Self.ready()
        Self.takeFirst(&machine)
        #expect(machine.handle(.interrupted, at: Self.time(500)) == [])
        // The machine does not look for a frame; the slot waits until the next one is due.
        #expect(machine.handle(.wake, at: Self.time(1000)) == [.wake(Self.time(2000))])
        let effects = machine.handle(.wake, at: Self.time(2000))
        #expect(effects.starts(with: [.abandonPick, .missed(SlotRun(Self.slot(1)), .lost)]))
    }

    @Test("A camera that reconnects captures the current slot, late")
    func regained() {
        var machine = Self.ready()
        Self.takeFirst(&machine)
        _ = machine.handle(.interrupted, at: Self.time(500))
        _ = machine.handle(.wake, at: Self.time(1000))
        #expect(machine.handle(.ready, at: Self.time(1700)) == [.pick(Self.slot(1))])
        _ = machine.handle(.found, at: Self.time(1720))
        _ = machine.handle(.picked, at: Self.time(1730))
        #expect(machine.phase == .waiting(Self.slot(2)))
    }

    @Test("A slot whose camera is lost during the search for a frame is searched for again")
    func lostWhilePicking() {
        var machine = Self.ready()
        Self.takeFirst(&machine)
        #expect(machine.handle(.wake, at: Self.time(1000)).contains(.pick(Self.slot(1))))
        // The frames end first; the reason arrives after that.
        #expect(machine.handle(.noFrame(CaptureError(.noCamera, "gone")), at: Self.time(1100)) == [])
        #expect(machine.handle(.interrupted, at: Self.time(1101)) == [])
        #expect(machine.handle(.ready, at: Self.time(1500)) == [.pick(Self.slot(1))])
        #expect(machine.handle(.ready, at: Self.time(1501)) == [], "the search runs already")
    }

    @Test("The last slot waits one interval for a lost camera, and then the series completes")
    func lastSlot() {
        var machine = Self.ready(.every(.seconds(1), count: 1))
        #expect(machine.phase == .waiting(Self.slot(0)))
        _ = machine.handle(.interrupted, at: Self.time(0))
        #expect(machine.handle(.wake, at: Self.time(0)) == [.wake(Self.time(1000))])
        #expect(
            machine.handle(.wake, at: Self.time(1000)) == [
                .abandonPick, .missed(SlotRun(Self.slot(0)), .lost), .end(.completed),
            ])
    }

    @Test("A finish does not wait for a lost camera")
    func finish() {
        var machine = Self.ready()
        Self.takeFirst(&machine)
        _ = machine.handle(.interrupted, at: Self.time(500))
        _ = machine.handle(.wake, at: Self.time(1000))
        #expect(
            machine.handle(.finish, at: Self.time(1200)) == [
                .abandonPick, .missed(SlotRun(Self.slot(1)), .stopped), .end(.stopped),
            ])
    }

    @Test("A triggered picture waits for the camera, ten seconds at most")
    func trigger() {
        var machine = Self.ready(.onRequest())
        _ = machine.handle(.interrupted, at: Self.time(0))
        let slot = Slot(index: 0, due: Self.time(100), cause: .trigger)
        #expect(machine.handle(.trigger, at: Self.time(100)) == [.wake(Self.time(10_100))])
        #expect(machine.handle(.ready, at: Self.time(5000)) == [.pick(slot)])
    }

    @Test("A camera that is lost for good ends the series, and the current slot is accounted for")
    func gone() {
        var machine = Self.ready()
        Self.takeFirst(&machine)
        _ = machine.handle(.interrupted, at: Self.time(500))
        _ = machine.handle(.wake, at: Self.time(1000))
        let error = CaptureError(.noCamera, "gone")
        #expect(
            machine.handle(.lost(error), at: Self.time(1200)) == [
                .abandonPick, .missed(SlotRun(Self.slot(1)), .noFrame), .end(.failed(error)),
            ])
    }

    @Test("A series that resumes without its camera accounts for the slots due meanwhile")
    func resumedWithoutCamera() {
        let anchor = WallTime(seconds: 0, nanoseconds: 0, utcOffset: 0)
        let position = SeriesPosition(anchor: anchor, lastIndex: 4, lastDue: anchor.adding(.seconds(4)))
        var machine = Machine(.init(schedule: .every(.seconds(1)), position: position, recovers: true))
        _ = machine.handle(.start, at: Self.time(7500))
        let effects = machine.handle(.interrupted, at: Self.time(7600))
        #expect(effects.first == .missed(SlotRun(from: Self.slot(5), through: Self.slot(7)), .notRunning))
        #expect(machine.phase == .waiting(Self.slot(8)))
        _ = machine.handle(.wake, at: Self.time(8000))
        let missed = machine.handle(.wake, at: Self.time(9000))
        #expect(missed.contains(.missed(SlotRun(Self.slot(8)), .lost)))
        _ = machine.handle(.wake, at: Self.time(9000))
        #expect(machine.handle(.ready, at: Self.time(9100)) == [.pick(Self.slot(9))])
    }
}
