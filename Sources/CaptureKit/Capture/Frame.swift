// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// A frame as the camera gave it, with the moment it was taken.
///
/// It may be one of the few buffers that the camera owns: hold few, and let go early.
struct Frame: Sendable {
    /// The data and what it is.
    let sample: Sample
    /// When it was taken, on the system's monotonic clock, as the source says.
    let time: ClockTime
    /// When it came.
    let arrival: ClockTime

    /// - Parameter arrival: `nil` for the time of the frame.
    init(sample: Sample, time: ClockTime, arrival: ClockTime? = nil) {
        (self.sample, self.time, self.arrival) = (sample, time, arrival ?? time)
    }

    /// Copies the frame into separate memory, and so returns the buffer to the camera.
    func copied() throws(PipelineError) -> Frame {
        guard let buffer = sample.buffer, let caps = sample.caps else { return self }
        return Frame(sample: Sample(try buffer.copied(), caps: caps), time: time, arrival: arrival)
    }

    /// False where it is cut off. Not on the caller's actor: a JPEG is read to its end for it.
    @concurrent
    func isWhole() async -> Bool { (try? sample.checkWhole()) != nil }
}
