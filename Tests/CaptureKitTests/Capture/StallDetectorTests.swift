// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@testable import CaptureKit

@Suite("A source that may fall silent")
struct StallDetectorTests {
    private static func time(_ seconds: Double) -> ClockTime { ClockTime(nanoseconds: UInt64(seconds * 1e9)) }

    private var detector = StallDetector(start: Self.time(100), stallLimit: .seconds(3), giveUp: .seconds(10))

    @Test("is told once, and given up later")
    func silence() {
        var detector = detector
        #expect(detector.check(nil, at: Self.time(100)) == .wait(until: Self.time(103)))
        #expect(detector.check(Self.time(101), at: Self.time(103)) == .wait(until: Self.time(104)))
        #expect(detector.check(Self.time(101), at: Self.time(104)) == .stalled(.seconds(3)))
        #expect(detector.check(Self.time(101), at: Self.time(104)) == .wait(until: Self.time(111)))
        #expect(detector.check(Self.time(101), at: Self.time(111)) == .gone(.seconds(10)))
    }

    @Test("is told again when frames came meanwhile")
    func recovery() {
        var detector = detector
        #expect(detector.check(nil, at: Self.time(103)) == .stalled(.seconds(3)))
        #expect(detector.check(Self.time(104), at: Self.time(110)) == .stalled(.seconds(6)))
        #expect(detector.check(Self.time(109), at: Self.time(111)) == .wait(until: Self.time(112)))
    }

    @Test("is given up without being told where that comes first")
    func impatience() {
        var detector = StallDetector(start: Self.time(0), stallLimit: .seconds(3), giveUp: .seconds(1))
        #expect(detector.check(nil, at: Self.time(0)) == .wait(until: Self.time(1)))
        #expect(detector.check(nil, at: Self.time(1)) == .gone(.seconds(1)))
    }
}
