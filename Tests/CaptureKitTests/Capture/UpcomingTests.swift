// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import ScheduleKit
import Testing

@testable import CaptureKit

@Suite struct `The notice of an upcoming slot` {
    private typealias Machine = CaptureMachine

    private static func time(_ milliseconds: Int) -> ClockTime {
        ClockTime(nanoseconds: UInt64(milliseconds) * 1_000_000)
    }

    /// Runs a machine at the times that it requests, with immediate frames.
    ///
    /// - Returns: For each slot, the times in milliseconds of its notice and of the search for its frame.
    private static func run(_ plan: Machine.Plan, from start: Int = 0) -> (upcoming: [Int: Int], begun: [Int: Int]) {
        var machine = Machine(plan)
        var (upcoming, begun): ([Int: Int], [Int: Int]) = ([:], [:])
        _ = machine.handle(.start, at: time(start))
        var (now, effects) = (time(start), machine.handle(.ready, at: time(start)))
        for _ in 0..<1000 {
            var next: ClockTime?
            for effect in effects {
                switch effect {
                case .upcoming(let slot, let left):
                    #expect(upcoming[slot.index] == nil && now + left == slot.due)
                    upcoming[slot.index] = Int(now.nanoseconds / 1_000_000)
                case .pick(let slot): begun[slot.index] = Int(now.nanoseconds / 1_000_000)
                case .wake(let time): next = time
                default: break
                }
            }
            if case .picking = machine.phase {
                effects =
                    machine.handle(.found, at: now) + machine.handle(.picked, at: now)
                    + machine.handle(.stored, at: now)
            } else if let next, machine.phase != .ended {
                now = max(now, next)
                effects = machine.handle(.wake, at: now)
            } else {
                break
            }
        }
        return (upcoming, begun)
    }

    @Test func `A notice is emitted the requested time before each slot, also before the first slot`() {
        let (upcoming, begun) = Self.run(
            .init(schedule: .every(.seconds(60), count: 3), notice: .seconds(10)), from: 1000)
        #expect(upcoming == [0: 1000, 1: 61_000, 2: 121_000])
        #expect(begun == [0: 11_000, 1: 71_000, 2: 131_000])
    }

    @Test func `A notice without enough time is emitted as early as possible, and moves no slot`() {
        let (upcoming, begun) = Self.run(
            .init(schedule: .every(.seconds(5), count: 3), delay: .seconds(2), notice: .seconds(30)))
        #expect(upcoming == [0: 0, 1: 2000, 2: 7000])
        #expect(begun == [0: 2000, 1: 7000, 2: 12_000])
    }

    @Test func `A notice is emitted at its time although there is a countdown`() {
        let (upcoming, _) = Self.run(
            .init(schedule: .every(.seconds(10), count: 2), countdown: .seconds(3), notice: .milliseconds(1500)))
        #expect(upcoming == [0: 1500, 1: 11_500])
    }

    @Test func `No notice is emitted if none is requested`() {
        let (upcoming, begun) = Self.run(.init(schedule: .every(.seconds(10), count: 2)))
        #expect(upcoming.isEmpty && begun == [0: 0, 1: 10_000])
    }

    @Test func `A notice is emitted once before the picture of a self-timer`() {
        var machine = Machine(.init(schedule: .onRequest(), notice: .seconds(1)))
        _ = machine.handle(.start, at: Self.time(0))
        _ = machine.handle(.ready, at: Self.time(0))
        let effects = machine.handle(.timer(.seconds(3)), at: Self.time(100))
        #expect(effects.last == .wake(Self.time(1100)) || effects.last == .wake(Self.time(2100)))
        let slot = Slot(index: 0, due: Self.time(3100), cause: .trigger)
        #expect(machine.handle(.wake, at: Self.time(2100)).contains(.upcoming(slot, .seconds(1))))
        #expect(!machine.handle(.wake, at: Self.time(2200)).contains(.upcoming(slot, .milliseconds(900))))
    }
}

@Suite struct `Signs of life of a capture` {
    private let now = ClockTime(nanoseconds: 60_000_000_000)
    private let error = CaptureError(.noCamera, "is gone")

    @Test func `A frame is a sign of life, and so is a step toward a frame`() {
        let earlier = Pulse(lastFrame: now, steps: 3)
        #expect(!earlier.hasMoved(since: earlier, at: now))
        #expect(Pulse(lastFrame: now + .seconds(1), steps: 3).hasMoved(since: earlier, at: now))
        #expect(Pulse(lastFrame: now, steps: 4).hasMoved(since: earlier, at: now))
    }

    @Test func `Missed slots, stalls and notices are not signs of life`() {
        var pulse = Pulse()
        pulse.record(.missed(SlotRun(Slot(index: 0, due: now)), .noFrame), at: now)
        pulse.record(.stalled(.seconds(3)), at: now)
        pulse.record(.notice(Notice(.information, "busy")), at: now)
        #expect(pulse == Pulse())
    }

    @Test func `No sign of life is needed until the next attempt to reopen the camera is due`() {
        var pulse = Pulse()
        pulse.record(.recovering(attempt: 4, next: .seconds(30), error), at: now)
        #expect(pulse.hasMoved(since: pulse, at: now + .seconds(30)))
        #expect(!pulse.hasMoved(since: pulse, at: now + .seconds(32)))
        pulse.record(.recovered(after: .seconds(40)), at: now + .seconds(20))
        #expect(!pulse.hasMoved(since: pulse, at: now + .seconds(21)))
    }

    @Test func `A running capture has signs of life`() async {
        let record = await CaptureRecord.of { configuration in
            configuration.schedule = .every(.milliseconds(200), count: 2)
            // Without recovery and a stall, the last slot waits for a frame even if the machine stands still.
            (configuration.recovery, configuration.stallLimit) = (.off, .seconds(300))
        } onEvent: { event, controller in
            guard case .captured = event else { return }
            let pulse = await controller.pulse
            #expect(pulse.lastFrame != nil && pulse.steps >= 1)
        }
        #expect(record.isConsistent)
        let stored = record.events.compactMap { if case .stored(let slot) = $0 { slot } else { nil } }
        #expect(!stored.isEmpty && stored == record.captured)
    }
}
