// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import PipelineKit

/// The properties of a frame's format that determine its place on a preview.
package struct FrameShape: Sendable, Hashable {
    let width: Int
    let height: Int
    /// The width of a pixel divided by its height.
    var pixelAspectRatio = Fraction(1, 1)
    /// The number of pixels that share a chroma sample, in a row and in a column; borders are multiples of them.
    var chromaColumns = 1, chromaRows = 1

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    package init(_ info: VideoInfo) {
        self.init(width: info.width, height: info.height)
        pixelAspectRatio = info.pixelAspectRatio
        (chromaColumns, chromaRows) = info.chromaSubsampling
    }

    /// Returns the box in which `videoscale add-borders=true` places the frame (`gst_video_scale_set_info`). GStreamer
    /// rounds down the lengths, and half of the border at the left and at the top. The converter then begins at whole
    /// chroma samples.
    func field(on preview: PreviewSize) -> PixelBox {
        let (across, down) = (Double(width) * Double(ratio.numerator), Double(height) * Double(ratio.denominator))
        var field = PixelBox(of: preview)
        let rows = (field.width * down / across).rounded(.down)
        if rows <= field.height {
            field.y = Self.border(field.height - rows, chromaRows)
            field.height = rows
        } else {
            let columns = (field.height * across / down).rounded(.down)
            field.x = Self.border(field.width - columns, chromaColumns)
            field.width = columns
        }
        return field
    }

    private var ratio: Fraction {
        pixelAspectRatio.numerator > 0 && pixelAspectRatio.denominator > 0 ? pixelAspectRatio : Fraction(1, 1)
    }

    /// Returns the free columns or rows before the picture. A program may request a preview of any size, so no integer
    /// may overflow.
    private static func border(_ free: Double, _ step: Int) -> Double {
        let before = (free / 2).rounded(.down)
        return before - before.truncatingRemainder(dividingBy: Double(max(1, step)))
    }
}
