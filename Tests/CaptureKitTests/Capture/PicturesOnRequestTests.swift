// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import ScheduleKit
import Testing

@testable import CaptureKit

@Suite struct `The capture machine for pictures on request` {
    private typealias Machine = CaptureMachine

    private static func time(_ milliseconds: Int) -> ClockTime {
        ClockTime(nanoseconds: UInt64(milliseconds) * 1_000_000)
    }

    /// A machine that is ready, at 0.
    private static func ready(_ schedule: Schedule = .onRequest(), lead: Duration = .zero) -> Machine {
        var machine = Machine(.init(schedule: schedule, lead: lead))
        for input in [Machine.Input.start, .ready] { _ = machine.handle(input, at: time(0)) }
        return machine
    }

    /// Finds, takes and stores the current picture.
    private static func takePicture(_ machine: inout Machine, at milliseconds: Int) -> [Machine.Effect] {
        [.found, .picked, .stored].flatMap { machine.handle($0, at: time(milliseconds)) }
    }

    /// Wakes the machine at each time that it requests, up to `end`, and takes its pictures. Returns all effects.
    private static func run(
        _ machine: inout Machine, after effects: [Machine.Effect], until end: Int
    ) -> [Machine.Effect] {
        var (all, last) = (effects, effects)
        while let next = last.reversed().compactMap({ if case .wake(let time) = $0 { time } else { nil } }).first,
            next <= time(end)
        {
            last = machine.handle(.wake, at: next)
            if case .picking = machine.phase {
                all += last
                last = [.found, .picked, .stored].flatMap { machine.handle($0, at: next) }
            }
            all += last
        }
        return all
    }

    private static func picked(_ effects: [Machine.Effect]) -> [Slot] {
        effects.compactMap { if case .pick(let slot) = $0 { slot } else { nil } }
    }

    @Test func `The machine stands by until a picture is requested`() {
        var machine = Self.ready()
        #expect(machine.phase == .standby)
        #expect(machine.handle(.wake, at: Self.time(3_600_000)) == [])
        #expect(machine.phase == .standby)
    }

    @Test func `Each trigger takes a picture with the next number`() {
        var machine = Self.ready()
        for index in 0..<3 {
            let slot = Slot(index: index, due: Self.time(index * 100), cause: .trigger)
            #expect(machine.handle(.trigger, at: Self.time(index * 100)) == [.pick(slot)])
            #expect(Self.takePicture(&machine, at: index * 100 + 10) == [])
            #expect(machine.phase == .standby)
        }
    }

    @Test func `The capture ends after the requested number of pictures`() {
        var machine = Self.ready(.onRequest(count: 2))
        _ = machine.handle(.trigger, at: Self.time(10))
        #expect(Self.takePicture(&machine, at: 20) == [])
        _ = machine.handle(.trigger, at: Self.time(30))
        #expect(Self.takePicture(&machine, at: 40) == [.end(.completed)])
    }

    @Test func `The capture ends when its time is over, after the current picture`() {
        var machine = Self.ready(.onRequest(for: .seconds(1)))
        #expect(machine.handle(.wake, at: Self.time(1000)) == [.end(.completed)])
        machine = Self.ready(.onRequest(for: .seconds(1)))
        _ = machine.handle(.trigger, at: Self.time(990))
        #expect(Self.takePicture(&machine, at: 1010) == [.end(.completed)])
    }

    @Test func `A self-timer counts down to its picture, which is taken when it is due`() {
        var machine = Self.ready()
        let effects = Self.run(&machine, after: machine.handle(.timer(.seconds(3)), at: Self.time(100)), until: 5000)
        let counted = effects.compactMap { if case .countdown(_, let left) = $0 { left } else { nil } }
        #expect(counted == [.seconds(3), .seconds(2), .seconds(1)])
        #expect(Self.picked(effects) == [Slot(index: 0, due: Self.time(3100), cause: .trigger)])
        #expect(machine.phase == .standby)
    }

    @Test func `A second request for a self-timer cancels the countdown: there are never two`() {
        var machine = Self.ready()
        _ = machine.handle(.timer(.seconds(3)), at: Self.time(0))
        let slot = Slot(index: 0, due: Self.time(3000), cause: .trigger)
        #expect(machine.handle(.timer(.seconds(3)), at: Self.time(500)) == [.calledOff(slot)])
        #expect(machine.phase == .standby)
        let next = machine.handle(.timer(.seconds(1)), at: Self.time(600))
        #expect(next.contains(.countdown(Slot(index: 1, due: Self.time(1600), cause: .trigger), .seconds(1))))
    }

    @Test func `A trigger during a countdown takes a picture at once, and the countdown continues`() {
        var machine = Self.ready()
        _ = machine.handle(.timer(.seconds(3)), at: Self.time(0))
        #expect(Self.picked(machine.handle(.trigger, at: Self.time(500))).map(\.due) == [Self.time(500)])
        let rest = Self.run(&machine, after: Self.takePicture(&machine, at: 510), until: 5000)
        #expect(Self.picked(rest).map(\.due) == [Self.time(3000)])
    }

    @Test func `A countdown that starts before the camera is ready continues`() {
        var machine = Machine(.init(schedule: .onRequest()))
        _ = machine.handle(.start, at: Self.time(0))
        _ = machine.handle(.timer(.seconds(2)), at: Self.time(100))
        let rest = Self.run(&machine, after: machine.handle(.ready, at: Self.time(300)), until: 5000)
        #expect(Self.picked(rest).map(\.due) == [Self.time(2100)])
    }

    @Test func `A repetition takes pictures until it is stopped, and a later repetition continues the numbers`() {
        var machine = Self.ready()
        let first = Self.run(&machine, after: machine.handle(.repetition(.seconds(1)), at: Self.time(100)), until: 2500)
        #expect(Self.picked(first) == (0...2).map { Slot(index: $0, due: Self.time(100 + $0 * 1000)) })
        #expect(machine.handle(.repetition(nil), at: Self.time(2600)) == [])
        #expect(machine.phase == .standby)
        let effects = machine.handle(.repetition(.seconds(1)), at: Self.time(9000))
        let again = Self.run(&machine, after: effects, until: 9500)
        #expect(Self.picked(again) == [Slot(index: 3, due: Self.time(9000))])
    }

    @Test func `A repetition that is replaced while a picture is taken uses no number twice`() {
        var machine = Self.ready()
        _ = machine.handle(.repetition(.seconds(1)), at: Self.time(0))
        _ = machine.handle(.wake, at: Self.time(0))
        #expect(machine.phase == .picking(Slot(index: 0, due: Self.time(0))))
        _ = machine.handle(.repetition(nil), at: Self.time(10))
        _ = machine.handle(.repetition(.seconds(1)), at: Self.time(20))
        let rest = Self.run(&machine, after: Self.takePicture(&machine, at: 30), until: 100)
        #expect(Self.picked(rest) == [Slot(index: 1, due: Self.time(20))])
    }

    @Test func `A countdown during a repetition emits each second once`() {
        var machine = Self.ready()
        var effects = machine.handle(.repetition(.milliseconds(700)), at: Self.time(0))
        effects += machine.handle(.timer(.seconds(3)), at: Self.time(100))
        let all = Self.run(&machine, after: effects, until: 3200)
        let counted = all.compactMap { if case .countdown(let slot, let left) = $0 { (slot.cause, left) } else { nil } }
        #expect(counted.map(\.1) == [.seconds(3), .seconds(2), .seconds(1)])
        #expect(counted.allSatisfy { $0.0 == .trigger })
        #expect(Self.picked(all).map(\.due) == [0, 700, 1400, 2100, 2800, 3100].map(Self.time))
    }

    @Test func `A trigger just before a slot and the slot itself both get a picture`() {
        var machine = Self.ready()
        var effects = machine.handle(.repetition(.seconds(1)), at: Self.time(0))
        effects = Self.run(&machine, after: effects, until: 500)
        let slot = Slot(index: 0, due: Self.time(995), cause: .trigger)
        _ = machine.handle(.trigger, at: Self.time(995))
        #expect(machine.handle(.wake, at: Self.time(1000)) == [.wake(Self.time(2000))])
        #expect(machine.phase == .picking(slot))
        let rest = Self.takePicture(&machine, at: 1020)
        #expect(Self.picked(Self.run(&machine, after: rest, until: 1500)) == [Slot(index: 1, due: Self.time(1000))])
    }

    @Test func `A source that ends or is lost ends the capture, also during a countdown`() {
        let error = CaptureError(.noCamera, "gone")
        for input in [Machine.Input.ended(error), .lost(error)] {
            var machine = Self.ready()
            #expect(machine.handle(input, at: Self.time(10)) == [.end(.failed(error))])
            machine = Self.ready()
            _ = machine.handle(.timer(.seconds(3)), at: Self.time(0))
            let slot = Slot(index: 0, due: Self.time(3000), cause: .trigger)
            #expect(machine.handle(input, at: Self.time(10)) == [.calledOff(slot), .end(.failed(error))])
        }
    }

    @Test func `A series ignores repetitions, and a single picture ignores the self-timer`() {
        var machine = Self.ready(.every(.seconds(1), count: 2))
        #expect(machine.handle(.repetition(.seconds(9)), at: Self.time(0)) == [])
        machine = Machine(.init(delay: .seconds(9)))
        for input in [Machine.Input.start, .ready] { _ = machine.handle(input, at: Self.time(0)) }
        #expect(machine.handle(.timer(.seconds(1)), at: Self.time(0)) == [])
    }

    @Test func `Any sequence of requests ends the capture once, and accounts for every slot once`() {
        let error = CaptureError(.noCamera, "gone")
        var generator = SplitMix(1)
        for _ in 0..<1000 {
            var machine = Machine(.init(schedule: .onRequest(), lead: .milliseconds(5)))
            var (now, ends) = (0, 0)
            var (accounted, begun) = ([Slot](), [Slot]())
            for step in 0..<200 {
                now += Int.random(in: 0...20, using: &generator)
                let inputs: [Machine.Input] = [
                    .start, .ready, .wake, .wake, .found, .picked, .stored, .trigger, .timer(.milliseconds(30)),
                    .repetition(.milliseconds(40)), .repetition(nil), .noFrame(error), .finish,
                ]
                // Inputs that end the capture come late; otherwise most runs would be short.
                let known = step < 150 ? Array(inputs.dropLast(2)) : inputs + [.cancel, .ended(error), .lost(error)]
                guard let input = known.randomElement(using: &generator) else { continue }
                if case .picked = input, case .taking(let slot) = machine.phase { accounted.append(slot) }
                let (wasEnded, phase) = (machine.phase == .ended, machine.phase)
                let effects = machine.handle(input, at: Self.time(now))
                if case .taking(let slot) = phase, case .draining = machine.phase, !accounted.contains(slot) {
                    accounted.append(slot)
                }
                for effect in effects {
                    switch effect {
                    case .pick(let slot): begun.append(slot)
                    case .calledOff(let slot): accounted.append(slot)
                    case .missed(let slots, _): accounted += slots.each
                    case .end: ends += 1
                    default: break
                    }
                }
                #expect(!wasEnded || effects.isEmpty)
            }
            _ = machine.handle(.cancel, at: Self.time(now))
            _ = machine.handle(.cancel, at: Self.time(now))
            #expect(machine.phase == .ended && ends <= 1)
            #expect(Set(accounted).count == accounted.count)
            #expect(Set(begun).count == begun.count)
        }
    }
}
