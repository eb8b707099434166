// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import PipelineKit
import Testing

@testable import CameraKit

@Suite struct `The frame nearest a moment` {
    private func pick(_ times: [Int], target: Int, every: Int? = nil) -> Int? {
        var picker = FramePicker(
            target: ClockTime(nanoseconds: UInt64(target)), frameDuration: every.map { .nanoseconds($0) })
        var kept: Int?
        for time in times {
            let moment = ClockTime(nanoseconds: UInt64(time))
            switch picker.offer(moment, at: moment) {
            case .keep: kept = time
            case .take: return time
            case .takeKept: return kept
            }
        }
        return kept
    }

    @Test func `The picker chooses a frame that is as near as any other, for every moment`() {
        var generator = SplitMix(1)
        for _ in 0..<2000 {
            var (time, times) = (0, [Int]())
            for _ in 0..<20 {
                time += Int.random(in: 1...100, using: &generator)
                times.append(time)
            }
            let target = Int.random(in: 0...time, using: &generator)
            let best = times.map { abs($0 - target) }.min()
            #expect(pick(times, target: target).map { abs($0 - target) } == best)
        }
    }

    @Test func `A frame is chosen at once if no later frame of a steady rate can be nearer`() {
        #expect(pick([100, 133], target: 110, every: 33) == 100)
        #expect(pick([100, 133], target: 120, every: 33) == 133)
    }

    @Test func `The search for a frame ends although the timestamps of the source fall behind`() {
        let (target, patience) = (ClockTime(nanoseconds: 1_000_000_000), FramePicker.patience)
        var picker = FramePicker(target: target, frameDuration: nil)
        #expect(picker.offer(.zero, at: target) == .keep)
        #expect(picker.offer(ClockTime(nanoseconds: 1), at: target + patience) == .take)
    }
}
