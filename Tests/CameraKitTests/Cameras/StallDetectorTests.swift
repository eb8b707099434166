// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import PipelineKit
import ScheduleKit
import Testing

@testable import CameraKit

@Suite("Detecting a source that falls silent")
struct StallDetectorTests {
    private static func time(_ seconds: Double) -> ClockTime { ClockTime(nanoseconds: UInt64(seconds * 1e9)) }

    private static let limits = StallDetector.Limits(stall: .seconds(3), giveUp: .seconds(10), first: .seconds(10))
    private let start = StallDetector(start: Self.time(100))

    @Test("Silence is reported as a stall once, and as a lost source later")
    func silence() {
        var detector = start
        #expect(detector.check(nil, at: Self.time(100), Self.limits) == .wait(until: Self.time(103)))
        #expect(detector.check(Self.time(101), at: Self.time(103), Self.limits) == .wait(until: Self.time(104)))
        #expect(detector.check(Self.time(101), at: Self.time(104), Self.limits) == .stalled(.seconds(3)))
        #expect(detector.check(Self.time(101), at: Self.time(104), Self.limits) == .wait(until: Self.time(111)))
        #expect(detector.check(Self.time(101), at: Self.time(111), Self.limits) == .gone(.seconds(10)))
    }

    @Test("Silence is reported again if frames came in between")
    func recovery() {
        var detector = start
        #expect(detector.check(nil, at: Self.time(103), Self.limits) == .stalled(.seconds(3)))
        #expect(detector.check(Self.time(104), at: Self.time(110), Self.limits) == .stalled(.seconds(6)))
        #expect(detector.check(Self.time(109), at: Self.time(111), Self.limits) == .wait(until: Self.time(112)))
    }

    @Test("A silent source is lost without a stall if that limit comes first; its first frame may take longer")
    func impatience() {
        let limits = StallDetector.Limits(stall: .seconds(1), giveUp: .seconds(1), first: .seconds(10))
        var detector = StallDetector(start: Self.time(0))
        #expect(detector.check(nil, at: Self.time(1), limits) == .stalled(.seconds(1)))
        #expect(detector.check(nil, at: Self.time(1.5), limits) == .wait(until: Self.time(10)))
        #expect(detector.check(Self.time(2), at: Self.time(2.5), limits) == .wait(until: Self.time(3)))
        #expect(detector.check(Self.time(2), at: Self.time(3), limits) == .gone(.seconds(1)))
    }

    @Test("The limits of silence are longer for a source with longer frames")
    func slowFrames() {
        func limits(_ recovers: Bool, _ frameDuration: Duration?) -> StallDetector.Limits {
            StallDetector.Limits(
                stall: .seconds(2), giveUp: .seconds(10), recovers: recovers, frameDuration: frameDuration)
        }
        let fast = limits(true, .milliseconds(33))
        #expect((fast.stall, fast.giveUp, fast.first) == (.seconds(2), .seconds(2), .seconds(10)))
        #expect(limits(true, .seconds(1)).giveUp == .seconds(8))
        #expect(limits(false, nil).giveUp == .seconds(10))
    }
}

extension StallDetectorTests {
    /// A detector that is checked at the times that it requests, or later, and a source that may deliver frames.
    private struct World {
        enum Event: CaseIterable { case frame, look, lateLook, stop }

        private(set) var fault: String?
        private(set) var isOver = false
        private var now = StallDetectorTests.time(100)
        private var detector = StallDetector(start: StallDetectorTests.time(100))
        private var nextLook = StallDetectorTests.time(100)
        private var arrival: ClockTime?
        /// The start of the silence: the newest frame, or the end of a stop of the program.
        private var silentSince = StallDetectorTests.time(100)
        private var isStalled = false
        private let limits = StallDetector.Limits(stall: .seconds(3), giveUp: .seconds(5), first: .seconds(8))

        init() { look() }

        mutating func step(_ event: Event) {
            switch event {
            case .frame:
                now = now + .milliseconds(700)
                if now < nextLook { return receive() }
                // The frame arrives just before the check that is due.
                receive()
                look()
            case .look:
                now = max(now, nextLook)
                look()
            case .lateLook:
                now = max(now, nextLook) + .milliseconds(900)
                look()
            case .stop:
                now = max(now, nextLook) + .seconds(60)
                (silentSince, isStalled) = (now, false)
                look()
            }
        }

        private mutating func receive() { (arrival, silentSince, isStalled) = (now, now, false) }

        private mutating func look() {
            let silence = now - silentSince
            let giveUp = arrival == nil ? limits.first : limits.giveUp
            switch detector.check(arrival, at: now, limits) {
            case .wait(let until):
                if until <= now { fault = "it checks again at once" }
                if silence >= giveUp { fault = "it waits after \(silence)" }
                if silence >= limits.stall, !isStalled { fault = "it does not report a stall of \(silence)" }
                nextLook = until
            case .stalled(let span):
                if isStalled { fault = "it reports a stall twice" }
                if span != silence || silence < limits.stall {
                    fault = "it reports a stall of \(span) after \(silence)"
                }
                isStalled = true
                look()
            case .gone(let span):
                isOver = true
                if span != silence || silence < giveUp { fault = "it gives up after \(span) of \(silence)" }
            }
        }
    }

    @Test("In every sequence of frames and checks, only the length of the silence decides the verdict")
    func exhaustive() {
        var faults: [String] = []
        func explore(_ world: World, _ history: [World.Event]) {
            guard history.count < 9, faults.isEmpty, !world.isOver else { return }
            for event in World.Event.allCases {
                var next = world
                next.step(event)
                if let fault = next.fault { faults.append("\(fault) after \(history + [event])") }
                explore(next, history + [event])
            }
        }
        explore(World(), [])
        #expect(faults == [])
    }
}
