// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// What a still is cropped to, and how.
public struct CropRequest: Sendable, Hashable {
    /// The outline whose closed shape is cut out.
    public var outline: Outline
    /// Where the outline is on the preview, and how large.
    public var placement = Placement()
    /// What lies outside of the shape.
    public var corners = CropCorners.square
    /// True to find the four edges of a card near the outline, and to crop to those, without their perspective.
    public var isRectified = false
    /// How the picture is moved under the outline before.
    public var adjustment = CropAdjustment()
    /// What the crop is encoded as; `nil` for what the still is.
    public var format: StillFormat?
    /// Of JPEG and WebP, 1...100.
    public var quality = 95

    /// Asks for a crop to this outline.
    public init(_ outline: Outline) { self.outline = outline }
}
