// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The positions of red and blue, or of their differences from luma, in the planes of a format with 8-bit samples.
struct ColorPattern {
    /// The bytes of one component.
    struct Component {
        let plane: Int
        let bytes: BytePattern

        fileprivate init(_ component: SampleLayout.Component) {
            plane = component.plane
            bytes = BytePattern(step: component.pixelStride, offsets: [component.offset])
        }
    }

    /// Red, or Cr.
    let red: Component
    /// Blue, or Cb.
    let blue: Component
    /// `true` if the components are Cr and Cb.
    let isDifference: Bool

    init?(_ format: VideoFormat) {
        guard let layout = format.sampleLayout, layout.components.count >= 3 else { return nil }
        let (red, blue) = layout.isRGB ? (0, 2) : (2, 1)
        guard [red, blue].allSatisfy({ layout.components[$0].depth == 8 }) else { return nil }
        self.red = Component(layout.components[red])
        self.blue = Component(layout.components[blue])
        isDifference = !layout.isRGB
    }
}
