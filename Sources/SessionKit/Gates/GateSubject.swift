// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import FrameMeasures
import PresetKit

/// The subject that belongs into an outline, and its place on the preview.
struct GateSubject: Sendable, Hashable {
    /// The kind of subject to detect.
    let presence: OutlinePresence
    /// The line around the outline's closed shape, from corner to corner, as parts of the preview's width and height.
    let boundary: [PixelPoint]
}
