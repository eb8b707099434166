// Part of gst-capture. Apache License 2.0, see LICENSE.

import CropKit
import FrameMeasures
import OverlayCompositor

/// The place of a stage's outline on the preview at the moment of a picture, so that the picture can be cropped to the
/// outline again.
public struct SessionOutline: Sendable, Hashable {
    /// The name or the path of the outline, as in ``SessionStage/outline``.
    public var name: String
    /// The position of the outline's anchor, in fractions of the preview from its left and top.
    public var position: UnitPoint
    /// The size of the outline as a fraction of the preview, 0 to 1.
    public var size: Double
    /// The size of the preview, in pixels.
    public var previewWidth: Int, previewHeight: Int
    /// The rectangle of the preview that showed the picture, in pixels.
    public var picture: PixelBox
    /// `true` if the preview was mirrored.
    public var isMirrored = false

    /// Creates the record of an outline.
    public init(
        name: String, position: UnitPoint, size: Double, previewWidth: Int, previewHeight: Int, picture: PixelBox
    ) {
        (self.name, self.position, self.size) = (name, position, size)
        (self.previewWidth, self.previewHeight, self.picture) = (previewWidth, previewHeight, picture)
    }
}

extension SessionOutline {
    /// The placement of the outline on the preview.
    package var placement: Placement { Placement(position: position, size: size) }

    /// Returns the geometry of a still of this size relative to the preview.
    package func geometry(stillWidth width: Int, height: Int) -> StillGeometry {
        StillGeometry(
            width: width, height: height, preview: PreviewSize(width: previewWidth, height: previewHeight),
            picture: picture, isMirrored: isMirrored)
    }
}
