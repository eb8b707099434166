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
    private let newest = Mutex<[Arrival]>([])

    /// Records the arrival of a frame. Runs on a streaming thread.
    func record(_ stamp: ClockTime?, at time: ClockTime = PipelineClock.system.now, _ clocks: TimeLine = .current()) {
        newest.withLock { newest in
            if newest.count == Self.capacity { newest.removeFirst() }
            newest.append(Arrival(stamp: stamp, time: time, clocks: clocks))
        }
    }

    /// Returns the arrival of the frame with this timestamp, or of the newest frame; `nil` before the first.
    func arrival(of stamp: ClockTime?) -> Arrival? {
        newest.withLock { newest in newest.last { $0.stamp == stamp } ?? newest.last }
    }
}
