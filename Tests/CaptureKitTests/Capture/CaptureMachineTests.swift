// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import ScheduleKit
import Testing

@testable import CaptureKit

@Suite struct `The capture machine` {
    private typealias Machine = CaptureMachine

    private static func time(_ milliseconds: Int) -> ClockTime {
        ClockTime(nanoseconds: UInt64(milliseconds) * 1_000_000)
    }

    @Test func `A machine for a single picture takes the picture and ends`() {
        var machine = Machine(.init())
        #expect(machine.handle(.start, at: Self.time(0)) == [.open])
        #expect(machine.handle(.ready, at: Self.time(10)) == [.wake(Self.time(10))])
        let slot = Slot(index: 0, due: Self.time(10))
        #expect(machine.handle(.wake, at: Self.time(10)) == [.pick(slot)])
        #expect(machine.handle(.found, at: Self.time(15)) == [])
        #expect(machine.handle(.picked, at: Self.time(20)) == [])
        #expect(machine.handle(.stored, at: Self.time(30)) == [.end(.completed)])
        #expect(machine.phase == .ended)
    }

    @Test func `A self-timer emits each second once`() {
        var machine = Machine(.init(delay: .seconds(3)))
        _ = machine.handle(.start, at: Self.time(0))
        var effects = machine.handle(.ready, at: Self.time(100))
        var counted: [Int64] = []
        for _ in 0..<10 {
            for case .countdown(_, let left) in effects { counted.append(left.components.seconds) }
            guard case .wake(let next)? = effects.last else { break }
            effects = machine.handle(.wake, at: next)
        }
        #expect(counted == [2, 1])
        #expect(machine.phase == .picking(Slot(index: 0, due: Self.time(3000))))
    }

    @Test func `A trigger takes a delayed single picture at once, and an earlier wake does not change that`() {
        var machine = Machine(.init(delay: .seconds(10)))
        _ = machine.handle(.start, at: Self.time(0))
        _ = machine.handle(.ready, at: Self.time(100))
        let slot = Slot(index: 0, due: Self.time(500), cause: .trigger)
        #expect(machine.handle(.trigger, at: Self.time(500)) == [.pick(slot)])
        #expect(machine.handle(.wake, at: Self.time(1000)) == [])
        #expect(machine.phase == .picking(slot))
        _ = machine.handle(.found, at: Self.time(1010))
        _ = machine.handle(.picked, at: Self.time(1020))
        #expect(machine.handle(.stored, at: Self.time(1030)) == [.end(.completed)])
    }

    @Test func `A late slot does not move the next slot`() {
        var machine = Machine(.init(schedule: .every(.milliseconds(100), count: 3)))
        _ = machine.handle(.start, at: Self.time(0))
        _ = machine.handle(.ready, at: Self.time(1000))
        _ = machine.handle(.wake, at: Self.time(1000))
        _ = machine.handle(.found, at: Self.time(1050))
        let effects = machine.handle(.picked, at: Self.time(1099))
        #expect(effects == [.wake(Self.time(1100))])
        #expect(machine.handle(.wake, at: Self.time(1150)).first == .pick(Slot(index: 1, due: Self.time(1100))))
    }

    @Test func `Slots that passed before a late wake are reported as overslept`() {
        var machine = Machine(.init(schedule: .every(.milliseconds(100), count: 10)))
        _ = machine.handle(.start, at: Self.time(0))
        _ = machine.handle(.ready, at: Self.time(0))
        let effects = machine.handle(.wake, at: Self.time(350))
        let missed = effects.compactMap { if case .missed(let slots, .overslept) = $0 { slots } else { nil } }
        #expect(missed.map(\.first.index) == [0] && missed.map(\.last.index) == [2] && missed.map(\.count) == [3])
        #expect(machine.phase == .waiting(Slot(index: 3, due: Self.time(300))))
    }

    @Test func `A slot is missed if too many earlier pictures are not stored yet`() {
        var machine = Machine(.init(schedule: .every(.milliseconds(100), count: 5), backlogLimit: 2))
        _ = machine.handle(.start, at: Self.time(0))
        _ = machine.handle(.ready, at: Self.time(0))
        for index in 0..<2 {
            _ = machine.handle(.wake, at: Self.time(index * 100))
            _ = machine.handle(.found, at: Self.time(index * 100 + 5))
            _ = machine.handle(.picked, at: Self.time(index * 100 + 10))
        }
        let effects = machine.handle(.wake, at: Self.time(200))
        #expect(effects.first == .missed(SlotRun(Slot(index: 2, due: Self.time(200))), .backlog))
    }

    @Test(arguments: [(10, 1, 8), (100, 1, 8), (250, 1, 4), (1000, 1, 2), (60_000, 1, 2), (100, 5, 2)])
    func `The pictures of a second may be pending`(interval: Int, burst: Int, limit: Int) {
        var configuration = CaptureConfiguration(source: .fragment("videotestsrc"), output: .caller)
        configuration.schedule = .every(.milliseconds(interval))
        configuration.burst = burst
        #expect(Machine.Plan(configuration).backlogLimit == limit)
        configuration.schedule = .single
        #expect(Machine.Plan(configuration).backlogLimit == 2)
    }

    @Test func `A limit ends the series after the current picture is stored`() {
        var machine = Machine(.init(schedule: .every(.seconds(1))))
        let error = CaptureError(.inputOutput, "a limit")
        _ = machine.handle(.start, at: Self.time(0))
        _ = machine.handle(.ready, at: Self.time(0))
        _ = machine.handle(.wake, at: Self.time(0))
        #expect(machine.handle(.limit(error), at: Self.time(1)) == [])
        _ = machine.handle(.found, at: Self.time(5))
        #expect(machine.handle(.picked, at: Self.time(10)) == [])
        #expect(machine.phase == .draining(.failed(error)))
        #expect(machine.handle(.stored, at: Self.time(20)) == [.end(.failed(error))])
    }

    @Test func `A finish ends the series after the current picture, and a cancel ends it at once`() {
        var machine = Machine(.init(schedule: .every(.seconds(1))))
        _ = machine.handle(.start, at: Self.time(0))
        _ = machine.handle(.ready, at: Self.time(0))
        _ = machine.handle(.wake, at: Self.time(0))
        var copy = machine
        #expect(machine.handle(.finish, at: Self.time(5)) == [])
        #expect(machine.handle(.found, at: Self.time(6)) == [])
        #expect(machine.handle(.picked, at: Self.time(10)) == [])
        #expect(machine.handle(.stored, at: Self.time(20)) == [.end(.stopped)])
        #expect(copy.handle(.cancel, at: Self.time(5)).last == .end(.stopped))
    }

    @Test func `A slot with a frame is stored after a cancel or the loss of the camera, and is not missed`() {
        let slot = Slot(index: 0, due: Self.time(0))
        let error = CaptureError(.noCamera, "gone")
        for (input, ending) in [(Machine.Input.cancel, CaptureSummary.Ending.stopped), (.lost(error), .failed(error))] {
            var machine = Self.taking(.every(.milliseconds(100), count: 5))
            #expect(machine.handle(.wake, at: Self.time(100)) == [])
            #expect(machine.phase == .taking(slot))
            #expect(machine.handle(input, at: Self.time(110)) == [.abandonPick])
            #expect(machine.handle(.picked, at: Self.time(120)) == [])
            #expect(machine.handle(.stored, at: Self.time(130)) == [.end(ending)])
            #expect(machine.unreachedSlots == 4)
        }
    }

    @Test func `A source that ends still serves the slot that is due, and no later slot`() {
        let error = CaptureError(.noCamera, "ended")
        var machine = Machine(.init(schedule: .every(.milliseconds(100), count: 3)))
        _ = machine.handle(.start, at: Self.time(0))
        #expect(machine.handle(.ended(error), at: Self.time(0)) == [])
        #expect(machine.handle(.ready, at: Self.time(10)) == [.wake(Self.time(10))])
        _ = machine.handle(.wake, at: Self.time(10))
        _ = machine.handle(.found, at: Self.time(11))
        #expect(machine.handle(.picked, at: Self.time(12)) == [])
        #expect(machine.phase == .draining(.failed(error)))
        #expect(machine.handle(.stored, at: Self.time(20)) == [.end(.failed(error))])
        #expect(machine.unreachedSlots == 2)
    }

    @Test func `A source that ends before the next slot is due ends the series at once`() {
        let error = CaptureError(.noCamera, "ended")
        var machine = Self.taking(.every(.milliseconds(100), count: 3))
        _ = machine.handle(.picked, at: Self.time(10))
        _ = machine.handle(.stored, at: Self.time(20))
        #expect(machine.handle(.ended(error), at: Self.time(30)) == [.end(.failed(error))])
    }

    @Test func `If the source has no frame left, the slot is missed and the capture fails`() {
        let error = CaptureError(.noCamera, "ended")
        var machine = Machine(.init())
        _ = machine.handle(.start, at: Self.time(0))
        _ = machine.handle(.ready, at: Self.time(0))
        _ = machine.handle(.wake, at: Self.time(0))
        let effects = machine.handle(.noFrame(error), at: Self.time(5))
        #expect(effects == [.missed(SlotRun(Slot(index: 0, due: Self.time(0))), .noFrame), .end(.failed(error))])
    }

    @Test func `The end of a source after a search without a frame fails the capture, also with recovery`() {
        let error = CaptureError(.noCamera, "ended")
        var machine = Machine(.init(schedule: .every(.seconds(1), count: 3), recovers: true))
        for input in [Machine.Input.start, .ready, .wake] { _ = machine.handle(input, at: Self.time(0)) }
        #expect(machine.handle(.noFrame(error), at: Self.time(5)) == [])
        let slot = Slot(index: 0, due: Self.time(0))
        #expect(
            machine.handle(.ended(error), at: Self.time(6)) == [
                .abandonPick, .missed(SlotRun(slot), .noFrame), .end(.failed(error)),
            ])
        #expect(machine.unreachedSlots == 2)
    }

    @Test func `The end of a source fails the capture if a slot is due after a search without a frame`() {
        let error = CaptureError(.noCamera, "ended")
        var machine = Machine(.init(schedule: .every(.seconds(1), count: 3), recovers: true))
        for input in [Machine.Input.start, .ready, .wake] { _ = machine.handle(input, at: Self.time(0)) }
        _ = machine.handle(.noFrame(error), at: Self.time(5))
        _ = machine.handle(.wake, at: Self.time(1000))
        #expect(machine.handle(.ended(error), at: Self.time(1001)) == [.end(.failed(error))])
    }

    @Test func `The slot of a search without a frame waits for a lost camera, although its stream ends`() {
        let error = CaptureError(.noCamera, "ended")
        var machine = Machine(.init(schedule: .every(.seconds(1), count: 3), recovers: true))
        for input in [Machine.Input.start, .ready, .wake] { _ = machine.handle(input, at: Self.time(0)) }
        for input in [Machine.Input.noFrame(error), .interrupted, .ended(error)] {
            #expect(machine.handle(input, at: Self.time(5)) == [])
        }
        #expect(machine.handle(.ready, at: Self.time(6)) == [.pick(Slot(index: 0, due: Self.time(0)))])
    }

    @Test func `A cancel while pictures are stored keeps the error that ended the capture`() {
        let error = CaptureError(.noCamera, "gone")
        var machine = Self.taking(.single)
        _ = machine.handle(.lost(error), at: Self.time(10))
        #expect(machine.handle(.cancel, at: Self.time(20)) == [.end(.failed(error))])
        machine = Self.taking(.single)
        _ = machine.handle(.picked, at: Self.time(10))
        #expect(machine.handle(.cancel, at: Self.time(20)) == [.end(.stopped)])
    }

    @Test func `A trigger during a single picture does not take a second picture`() {
        var machine = Machine(.init())
        for input in [Machine.Input.start, .ready, .wake, .trigger, .found] {
            _ = machine.handle(input, at: Self.time(0))
        }
        #expect(machine.handle(.picked, at: Self.time(10)) == [])
        #expect(machine.handle(.stored, at: Self.time(20)) == [.end(.completed)])
    }

    @Test func `Any sequence of inputs ends the capture exactly once`() {
        let error = CaptureError(.noCamera, "gone")
        let inputs: [Machine.Input] = [
            .start, .ready, .wake, .found, .picked, .noFrame(error), .stored, .trigger, .finish, .cancel,
            .ended(error), .lost(error),
        ]
        var generator = SplitMix(1)
        for _ in 0..<500 {
            var machine = Machine(.init(schedule: .every(.milliseconds(50), count: 5)))
            var (now, ends) = (0, 0)
            for _ in 0..<200 {
                now += Int.random(in: 0...20, using: &generator)
                guard let input = inputs.randomElement(using: &generator) else { continue }
                let wasEnded = machine.phase == .ended
                let effects = machine.handle(input, at: Self.time(now))
                ends += effects.count { if case .end = $0 { true } else { false } }
                #expect(!wasEnded || effects.isEmpty)
            }
            #expect(machine.phase == .ended && ends == 1)
        }
    }

    /// A machine whose first slot, due at 0, has its frame.
    private static func taking(_ schedule: Schedule) -> Machine {
        var machine = Machine(.init(schedule: schedule))
        for input in [Machine.Input.start, .ready, .wake, .found] { _ = machine.handle(input, at: time(0)) }
        return machine
    }

    @Test func `Every slot of a random series is captured or missed exactly once`() {
        var generator = SplitMix(1)
        for _ in 0..<300 {
            let total = Int.random(in: 1...30, using: &generator)
            var machine = Machine(.init(schedule: .every(.milliseconds(50), count: total)))
            var (now, picked, missed, waiting) = (0, Set<Int>(), Set<Int>(), 0)
            func record(_ effects: [Machine.Effect]) {
                for case .missed(let slots, _) in effects where slots.first.cause == .schedule {
                    for index in slots.first.index...slots.last.index {
                        #expect(missed.insert(index).inserted && !picked.contains(index))
                    }
                }
            }
            record(machine.handle(.start, at: Self.time(now)))
            record(machine.handle(.ready, at: Self.time(now)))
            while machine.phase != .ended {
                now += Int.random(in: 0...40, using: &generator)
                var inputs: [Machine.Input] = [.wake, .stored]
                if Int.random(in: 0..<50, using: &generator) == 0 { inputs.append(.trigger) }
                if case .picking = machine.phase {
                    inputs = [Bool.random(using: &generator) ? .found : .wake]
                } else if case .taking(let slot) = machine.phase {
                    inputs = [.wake, .picked]
                    if slot.cause == .schedule { picked.insert(slot.index) }
                    waiting += 1
                }
                for input in inputs {
                    if case .stored = input {
                        guard waiting > 0 else { continue }
                        waiting -= 1
                    }
                    record(machine.handle(input, at: Self.time(now)))
                }
            }
            #expect(picked.union(missed) == Set(0..<total))
            #expect(picked.isDisjoint(with: missed))
        }
    }
}
