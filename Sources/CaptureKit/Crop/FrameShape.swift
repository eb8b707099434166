// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// What of a frame's format decides where it lies on a preview.
struct FrameShape: Sendable, Hashable {
    let width: Int
    let height: Int
    /// How wide a pixel is for its height.
    var pixelAspectRatio = Fraction(1, 1)
    /// Pixels that share a chroma sample, in a row and in a column: borders are whole ones.
    var chromaColumns = 1, chromaRows = 1

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    init(_ info: VideoInfo) {
        self.init(width: info.width, height: info.height)
        pixelAspectRatio = info.pixelAspectRatio
        (chromaColumns, chromaRows) = info.chromaSubsampling
    }

    /// All of the preview.
    func whole(_ preview: PreviewSize) -> PixelBox {
        PixelBox(x: 0, y: 0, width: Double(preview.width), height: Double(preview.height))
    }

    /// Where `videoscale add-borders=true` puts the frame (`gst_video_scale_set_info`): lengths are rounded down, and so is
    /// the half of the border that is left and on top. The converter then begins at whole chroma samples.
    func field(on preview: PreviewSize) -> PixelBox {
        let (across, down) = (Double(width) * Double(ratio.numerator), Double(height) * Double(ratio.denominator))
        var field = whole(preview)
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

    /// The free columns or rows before the picture. Programs can ask for a preview of any size: no integer may overflow.
    private static func border(_ free: Double, _ step: Int) -> Double {
        let before = (free / 2).rounded(.down)
        return before - before.truncatingRemainder(dividingBy: Double(max(1, step)))
    }
}
