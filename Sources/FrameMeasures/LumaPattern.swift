// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The position of luma in the first plane, for formats with 8-bit samples.
struct LumaPattern {
    /// The bytes that represent brightness. In RGB green is the middle one.
    let bytes: BytePattern
    /// `true` if those bytes are red, green and blue, which always have full range.
    let isRGB: Bool

    init?(_ format: VideoFormat) {
        guard let layout = format.sampleLayout else { return nil }
        let parts = layout.components.prefix(layout.isRGB ? 3 : 1)
        guard let first = parts.first, parts.allSatisfy({ $0.depth == 8 && $0.plane == 0 }) else { return nil }
        bytes = BytePattern(step: first.pixelStride, offsets: parts.map(\.offset).sorted())
        isRGB = layout.isRGB
    }
}
