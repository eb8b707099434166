// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import FrameMeasures
import SystemBase
import Testing

@Suite("The pace at which frames are judged")
struct FramePaceTests {
    @Test(
        "A pace of 30 frames/s accepts at most 30 frames/s of every frame rate",
        arguments: [10, 24, 30, 50, 60, 90, 240])
    func pace(rate: Int) {
        var (pace, generator) = (FramePace(rate: 30), SplitMix(UInt64(rate)))
        let taken = (0..<rate * 10).count { frame in
            let jitter = Int64.random(in: -3_000_000...3_000_000, using: &generator)
            return pace.takes(.zero + .nanoseconds(Int64(frame) * 1_000_000_000 / Int64(rate) + 50_000_000 + jitter))
        }
        #expect(taken <= 302 && Double(taken) > Double(min(rate, 30)) * 10 * 0.8, "\(taken) in 10 seconds")
    }

    @Test("Timestamps that jump backward do not stop the pace")
    func jump() {
        var pace = FramePace(rate: 30)
        let taken = [500_000, 1000, 1010, 1034].map { pace.takes(.zero + .milliseconds($0)) }
        #expect(taken == [true, true, false, true])
    }
}
