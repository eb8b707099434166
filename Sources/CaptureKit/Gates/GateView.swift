// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// What gates see of a frame of the preview, measured once for all of them.
///
/// One looks at frame after frame: once its memory is there, a frame allocates nothing. A value, of no thread.
public struct GateView: Sendable {
    /// The picture, small.
    public private(set) var luma = LumaFrame()
    /// The variance of the Laplacian of luma at the preview's own size, as the ledger has it of stills.
    public private(set) var sharpness = 0.0

    /// Nothing seen yet.
    public init() {}

    /// Looks at a raw frame of the preview.
    ///
    /// - Returns: False where this kind of frame cannot be measured; what was seen before then stands.
    public mutating func look(at buffer: Buffer, _ info: VideoInfo) -> Bool {
        guard let measure = PictureMeasure(buffer, info), luma.fill(from: buffer, info) else { return false }
        sharpness = measure.sharpness
        return true
    }
}
