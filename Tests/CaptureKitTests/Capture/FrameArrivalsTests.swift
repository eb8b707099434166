// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import ScheduleKit
import Testing

@testable import CaptureKit

@Suite("The arrival of frames") struct FrameArrivalsTests {
    private static func time(_ seconds: Int) -> ClockTime { .zero + .seconds(seconds) }

    private static func clocks(ahead seconds: Int64) -> TimeLine {
        TimeLine(.zero, is: WallTime(seconds: seconds, nanoseconds: 0, utcOffset: 0), zone: .utc)
    }

    @Test("A frame that waited during a suspension keeps the clocks of its arrival")
    func suspension() throws {
        let arrivals = FrameArrivals()
        #expect(arrivals.arrival(of: nil) == nil)
        arrivals.record(Self.time(1), at: Self.time(11), Self.clocks(ahead: 1000))
        arrivals.record(Self.time(2), at: Self.time(12), Self.clocks(ahead: 5000))
        let waiting = try #require(arrivals.arrival(of: Self.time(1)))
        #expect(waiting.time == Self.time(11))
        #expect(WallTime(waiting.clocks.wall(Self.time(11))).seconds == 1011)
        // A frame without a time stamp, or one that was captured long ago, counts as the newest.
        #expect(arrivals.arrival(of: nil)?.time == Self.time(12))
        for second in 3..<20 { arrivals.record(Self.time(second), at: Self.time(second + 10), .plain) }
        #expect(arrivals.arrival(of: Self.time(1))?.time == Self.time(29))
    }
}
