// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import SystemBase

/// An encoded picture, or a packet of encoded sound, with the moment of its capture.
package struct EncodedUnit: Sendable {
    /// The data with its caps: H.264 in `avc` format with one access unit a buffer, raw AAC, or Opus.
    package let sample: Sample
    /// When it was captured (its first sample for sound), on `PipelineClock.system`. Priming is corrected.
    package let time: ClockTime
    /// Whether decoding can begin here.
    package let isKey: Bool

    /// Creates a unit.
    package init(_ sample: Sample, time: ClockTime, isKey: Bool) {
        (self.sample, self.time, self.isKey) = (sample, time, isKey)
    }
}
