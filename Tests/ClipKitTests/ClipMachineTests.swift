// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import Testing

@testable import ClipKit

@Suite("Plans of recordings")
struct ClipMachineTests {
    private static let lost = ClipEnding.lost(CaptureError(.noCamera, "is gone", subject: "camera"))

    /// A time in milliseconds.
    private static func at(_ milliseconds: Int) -> ClockTime { .zero + .milliseconds(100_000 + milliseconds) }

    /// Feeds 10 pictures a second, each tenth of which is a key frame, and returns the effects besides `write` with the
    /// times of their pictures.
    private static func feed(_ machine: inout ClipMachine, from first: Int, to last: Int) -> [String] {
        stride(from: first, to: last, by: 100).flatMap { time in
            machine.handle(.picture(at(time), isKey: time % 1000 == 0)).filter { $0 != .write }.map {
                "\(time) \($0.word)"
            }
        }
    }

    @Test("A recording begins with the first key frame, and is stopped")
    func stopped() {
        var machine = ClipMachine(ClipPlan())
        #expect(Self.feed(&machine, from: 300, to: 5000) == ["1000 begin"] && machine.isRecording)
        #expect(machine.handle(.stop) == [.end(.stopped), .finish(.stopped)] && machine.isOver)
        #expect(Self.feed(&machine, from: 5000, to: 7000) == [] && machine.handle(.stop) == [])
    }

    @Test("A recording that is stopped before its first picture has no file")
    func early() {
        var machine = ClipMachine(ClipPlan())
        #expect(machine.handle(.stop) == [.finish(.stopped)])
    }

    @Test("A length counts from the first picture, and has no picture after it")
    func length() {
        var plan = ClipPlan()
        plan.length = .seconds(2)
        var machine = ClipMachine(plan)
        #expect(Self.feed(&machine, from: 0, to: 9000) == ["0 begin", "2000 end elapsed", "2000 finish elapsed"])
    }

    @Test("A recording with a begin leaves out earlier pictures, requests a key frame then, and is as long as planned")
    func begin() {
        var plan = ClipPlan()
        (plan.begin, plan.length) = (Self.at(1300), .seconds(2))
        var machine = ClipMachine(plan)
        #expect(
            Self.feed(&machine, from: 0, to: 9000) == [
                "1300 key", "2000 begin", "4000 end elapsed", "4000 finish elapsed",
            ])
        plan.begin = Self.at(1000)
        machine = ClipMachine(plan)
        #expect(Self.feed(&machine, from: 0, to: 2000) == ["1000 begin"])
    }

    @Test("A segment ends with a key frame, which it requests once")
    func segments() {
        var plan = ClipPlan()
        plan.segment = .milliseconds(1500)
        var machine = ClipMachine(plan)
        #expect(
            Self.feed(&machine, from: 0, to: 4500) == [
                "0 begin", "1500 key", "2000 end segment", "2000 begin", "3500 key", "4000 end segment", "4000 begin",
            ])
    }

    @Test("A trigger begins a clip before it, later ones extend it up to the longest, and the next begins another")
    func triggers() {
        var plan = ClipPlan()
        plan.trigger = ClipPlan.Trigger(before: .seconds(1), after: .seconds(2), longest: .seconds(4))
        var machine = ClipMachine(plan)
        #expect(machine.memory == .seconds(1) && Self.feed(&machine, from: 0, to: 3000) == [])
        #expect(machine.handle(.trigger(Self.at(3000))) == [.beginBefore(Self.at(2000))])
        #expect(Self.feed(&machine, from: 3000, to: 4000) == [])
        #expect(machine.handle(.trigger(Self.at(4000))) == [])
        #expect(machine.handle(.trigger(Self.at(4500))) == [])
        #expect(Self.feed(&machine, from: 4000, to: 8000) == ["6000 end elapsed"])
        #expect(machine.handle(.trigger(Self.at(8000))) == [.beginBefore(Self.at(7000))])
        #expect(Self.feed(&machine, from: 8000, to: 12_000) == ["10000 end elapsed"])
    }

    @Test("After an interruption, the next key frame begins another file, or the recording is over")
    func interruptions() {
        var machine = ClipMachine(ClipPlan())
        #expect(Self.feed(&machine, from: 0, to: 1500) == ["0 begin"])
        #expect(machine.handle(.interruption(Self.lost)) == [.end(Self.lost)])
        #expect(machine.handle(.interruption(Self.lost)) == [])
        #expect(Self.feed(&machine, from: 5500, to: 6500) == ["6000 begin"])
        #expect(machine.handle(.interruption(.format)) == [.end(.format)])
        var plan = ClipPlan()
        plan.continues = false
        machine = ClipMachine(plan)
        #expect(Self.feed(&machine, from: 0, to: 1500) == ["0 begin"])
        #expect(machine.handle(.interruption(Self.lost)) == [.end(Self.lost), .finish(Self.lost)])
    }

    @Test("A disk that cannot be written ends the recording")
    func storage() {
        let full = ClipEnding.storage(CaptureError(.inputOutput, "is full", subject: "disk"))
        var machine = ClipMachine(ClipPlan())
        #expect(Self.feed(&machine, from: 0, to: 500) == ["0 begin"])
        #expect(machine.handle(.interruption(full)) == [.end(full), .finish(full)])
    }

    @Test("Inputs in any order write pictures only between a beginning and an end, and finish once")
    func anyOrder() {
        for seed in 0..<500 {
            var generator = SplitMix(UInt64(seed))
            var plan = ClipPlan()
            if seed % 2 == 0 { plan.trigger = ClipPlan.Trigger(before: .seconds(1), after: .seconds(1)) }
            if seed % 3 == 0 { plan.segment = .milliseconds(700) }
            if seed % 5 == 0 { plan.length = .seconds(20) }
            plan.continues = seed % 7 != 0
            var (machine, isOpen, finishes) = (ClipMachine(plan), false, 0)
            for step in 0..<400 {
                let time = Self.at(step * 100)
                let input: ClipMachine.Input =
                    switch Int.random(in: 0..<60, using: &generator) {
                    case 0: .trigger(time)
                    case 1: .interruption(Bool.random(using: &generator) ? Self.lost : .format)
                    case 2 where step > 300: .stop
                    default: .picture(time, isKey: Int.random(in: 0..<10, using: &generator) == 0)
                    }
                for effect in machine.handle(input) {
                    switch effect {
                    case .begin, .beginBefore:
                        #expect(!isOpen)
                        isOpen = true
                    case .end:
                        #expect(isOpen)
                        isOpen = false
                    case .write, .requestKeyFrame: #expect(isOpen)
                    case .finish: finishes += 1
                    }
                }
                #expect(machine.isRecording == isOpen)
            }
            #expect(finishes == (machine.isOver ? 1 : 0) && !(machine.isOver && isOpen))
        }
    }
}

extension ClipMachine.Effect {
    fileprivate var word: String {
        switch self {
        case .beginBefore: "begin before"
        case .begin: "begin"
        case .write: "write"
        case .requestKeyFrame: "key"
        case .end(let ending): "end \(ending.word)"
        case .finish(let ending): "finish \(ending.word)"
        }
    }
}
