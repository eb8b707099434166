// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import PipelineKit

/// The measurements of a preview frame that gates share, made once for all of them.
///
/// A view is reused for frame after frame, and allocates nothing once its buffers exist. A value type without thread
/// affinity.
public struct GateView: Sendable {
    /// The luma of the picture, scaled down.
    public private(set) var luma = LumaFrame()
    /// The variance of the Laplacian of luma at the preview's own size, as the ledger records it for stills.
    public private(set) var sharpness = 0.0

    /// Creates a view that has seen no frame.
    public init() {}

    /// Measures a raw frame of the preview.
    ///
    /// - Returns: `false` if this kind of frame cannot be measured; the view then keeps the previous measurements.
    public mutating func look(at buffer: Buffer, _ info: VideoInfo) -> Bool {
        guard let measure = PictureMeasure(buffer, info), luma.fill(from: buffer, info) else { return false }
        sharpness = measure.sharpness
        return true
    }
}
