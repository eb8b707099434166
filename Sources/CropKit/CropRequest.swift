// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import StillKit

/// A request to crop a still to an outline.
public struct CropRequest: Sendable, Hashable {
    /// The outline whose closed shape is cut out.
    public var outline: Outline
    /// The place and size of the outline on the preview.
    public var placement = Placement()
    /// The treatment of pixels outside of the shape.
    public var corners = CropCorners.square
    /// `true` to find the four edges of a card near the outline, and to crop to them without perspective.
    public var isRectified = false
    /// The movement of the picture under the outline before cropping.
    public var adjustment = CropAdjustment()
    /// The format of the crop; `nil` for the format of the still.
    public var format: StillFormat?
    /// The quality of JPEG and WebP, 1...100.
    public var quality = 95

    /// Creates a request for a crop to an outline.
    public init(_ outline: Outline) { self.outline = outline }
}
