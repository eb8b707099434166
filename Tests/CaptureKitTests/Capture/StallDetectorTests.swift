// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@testable import CaptureKit

@Suite("A source that may fall silent")
struct StallDetectorTests {
    private static func time(_ seconds: Double) -> ClockTime { ClockTime(nanoseconds: UInt64(seconds * 1e9)) }

    private static let limits = StallDetector.Limits(stall: .seconds(3), giveUp: .seconds(10), first: .seconds(10))
    private let start = StallDetector(start: Self.time(100))

    @Test("is told once, and given up later")
    func silence() {
        var detector = start
        #expect(detector.check(nil, at: Self.time(100), Self.limits) == .wait(until: Self.time(103)))
        #expect(detector.check(Self.time(101), at: Self.time(103), Self.limits) == .wait(until: Self.time(104)))
        #expect(detector.check(Self.time(101), at: Self.time(104), Self.limits) == .stalled(.seconds(3)))
        #expect(detector.check(Self.time(101), at: Self.time(104), Self.limits) == .wait(until: Self.time(111)))
        #expect(detector.check(Self.time(101), at: Self.time(111), Self.limits) == .gone(.seconds(10)))
    }

    @Test("is told again when frames came meanwhile")
    func recovery() {
        var detector = start
        #expect(detector.check(nil, at: Self.time(103), Self.limits) == .stalled(.seconds(3)))
        #expect(detector.check(Self.time(104), at: Self.time(110), Self.limits) == .stalled(.seconds(6)))
        #expect(detector.check(Self.time(109), at: Self.time(111), Self.limits) == .wait(until: Self.time(112)))
    }

    @Test("is given up at once where that comes first, but has longer for its first frame")
    func impatience() {
        let limits = StallDetector.Limits(stall: .seconds(1), giveUp: .seconds(1), first: .seconds(10))
        var detector = StallDetector(start: Self.time(0))
        #expect(detector.check(nil, at: Self.time(1), limits) == .stalled(.seconds(1)))
        #expect(detector.check(nil, at: Self.time(1.5), limits) == .wait(until: Self.time(10)))
        #expect(detector.check(Self.time(2), at: Self.time(2.5), limits) == .wait(until: Self.time(3)))
        #expect(detector.check(Self.time(2), at: Self.time(3), limits) == .gone(.seconds(1)))
    }

    @Test("has longer where its frames are further apart")
    func slowFrames() {
        var configuration = CaptureConfiguration(source: .camera(.scene), output: .caller)
        configuration.schedule = .every(.seconds(1))
        let fast = StallDetector.Limits(configuration, frameDuration: .milliseconds(33))
        #expect((fast.stall, fast.giveUp) == (.seconds(2), .seconds(2)))
        #expect(StallDetector.Limits(configuration, frameDuration: .seconds(1)).giveUp == .seconds(8))
        configuration.recovery = .off
        #expect(StallDetector.Limits(configuration, frameDuration: nil).giveUp == .seconds(10))
    }
}
