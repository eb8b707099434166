// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import ScheduleKit
import Synchronization

/// When the newest frames of a camera arrived, by both clocks. A frame may wait for its task while the wall clock is
/// set or the machine is suspended.
final class FrameArrivals: Sendable {
    /// The arrival of a frame.
    struct Arrival: Sendable {
        /// The timestamp of the frame; `nil` if the source writes none.
        let stamp: ClockTime?
        /// The time of the arrival, on ``PipelineClock/system``.
        let time: ClockTime
        /// The relation of the clocks at that time.
        let clocks: TimeLine
    }

    /// A task takes the newest frame. Some more may arrive before it reads the arrival.
    private static let capacity = 8

    /// The last arrivals in a ring.
    private struct Ring {
        var arrivals: [Arrival] = []
        /// The place of the newest arrival.
        var newest = -1
    }

    private let ring = Mutex(Ring())

    /// Records the arrival of a frame. Runs on a streaming thread, for each frame.
    func record(_ stamp: ClockTime?, at time: ClockTime, _ clocks: TimeLine = .current()) {
        let arrival = Arrival(stamp: stamp, time: time, clocks: clocks)
        ring.withLock { ring in
            ring.newest = (ring.newest + 1) % Self.capacity
            if ring.arrivals.count < Self.capacity {
                ring.arrivals.append(arrival)
            } else {
                ring.arrivals[ring.newest] = arrival
            }
        }
    }

    /// Returns the arrival of the frame with this timestamp, or of the newest frame; `nil` before the first.
    func arrival(of stamp: ClockTime?) -> Arrival? {
        ring.withLock { ring in
            guard ring.newest >= 0 else { return nil }
            let (older, newer) = (ring.arrivals[...ring.newest], ring.arrivals[(ring.newest + 1)...])
            return older.last { $0.stamp == stamp } ?? newer.last { $0.stamp == stamp } ?? older.last
        }
    }
}
