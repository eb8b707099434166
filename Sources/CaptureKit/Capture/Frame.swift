// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// A frame as the camera gave it, with the moment it was taken.
///
/// It may be one of the few buffers that the camera owns: hold few, and let go early.
struct Frame: Sendable {
    /// The data and what it is.
    let sample: Sample
    /// When it was taken, on the system's monotonic clock.
    let time: ClockTime

    /// False where it is cut off. Not on the caller's actor: a JPEG is read to its end for it.
    @concurrent
    func isWhole() async -> Bool { (try? sample.checkWhole()) != nil }
}
