// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import ScheduleKit
import StillKit

/// A frame as the camera delivered it, with the moment at which it was captured.
///
/// It may occupy one of the few buffers that the camera owns: hold few frames, and release them early.
package struct Frame: Sendable {
    /// The data and its caps.
    package let sample: Sample
    /// When the frame was captured, on the system's monotonic clock: according to the source, or ``arrival`` if the
    /// source writes no timestamps.
    package let time: ClockTime
    /// When the frame arrived.
    package let arrival: ClockTime
    /// The relation of the clocks when the frame was received. The clock may be set, or the machine suspended, before
    /// the picture is stored.
    private let clocks: TimeLine

    /// - Parameter arrival: `nil` if it is the time of the frame.
    init(sample: Sample, time: ClockTime, arrival: ClockTime? = nil, clocks: TimeLine = .current()) {
        (self.sample, self.time, self.arrival, self.clocks) = (sample, time, arrival ?? time, clocks)
    }

    /// When the frame was captured, by the wall clock.
    var captured: WallTime { WallTime(clocks.wall(time)) }

    /// Copies the frame into separate memory. The camera gets its buffer back once the original is released.
    func copied() throws(PipelineError) -> Frame {
        guard let buffer = sample.buffer, let caps = sample.caps else { return self }
        return Frame(sample: Sample(try buffer.copied(), caps: caps), time: time, arrival: arrival, clocks: clocks)
    }

    /// Returns a frame that can be held for long: a copy if the camera waits for the buffer, unless memory is short.
    func keepable() -> Frame {
        guard let buffer = sample.buffer, buffer.isScarce else { return self }
        return (try? copied()) ?? self
    }

    /// `true` if both are the same frame of a stream; one may be a copy.
    func isSame(as other: Frame) -> Bool {
        guard let own = sample.presentationTime, let theirs = other.sample.presentationTime else {
            return arrival == other.arrival
        }
        return own == theirs
    }

    /// Returns `false` if the frame is cut off. It does not run on the caller's actor, as it reads a JPEG to its end.
    @concurrent
    func isWhole() async -> Bool { (try? sample.checkWhole()) != nil }
}

extension Frame {
    /// `true` if the frame shows a change of controls at this time: frames do so about three frames later, and one more is
    /// for safety.
    package func shows(_ change: ClockTime?, frameDuration: Duration) -> Bool {
        change.map { time - $0 >= frameDuration * 4 } ?? true
    }
}

extension Sample {
    /// The time from one frame to the next; `nil` if the caps do not state a frame rate.
    package var frameDuration: Duration? {
        guard let rate: Fraction = caps?.structures.first?["framerate"], rate.numerator > 0, rate.denominator > 0
        else { return nil }
        return .nanoseconds(1_000_000_000 * Int64(rate.denominator) / Int64(rate.numerator))
    }
}
