// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@testable import ScheduleKit

@Suite struct `A moment by the wall clock` {
    @Test(arguments: [Int64.min, Int64.min + 1, -1_000_000_001, -1, 0, 1, 999_999_999, .max])
    func `A moment has a wall time, even at the limits of its range`(nanoseconds: Int64) {
        let time = WallTime(WallMoment(nanoseconds: nanoseconds))
        #expect((0..<1_000_000_000).contains(time.nanoseconds))
        #expect(WallMoment(time) == WallMoment(nanoseconds: nanoseconds) || nanoseconds < Int64.min + 1_000_000_000)
    }
}
