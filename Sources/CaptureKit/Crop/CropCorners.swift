// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// What becomes of a crop outside of the outline's shape, such as the rounded corners of a card.
public enum CropCorners: Sendable, Hashable {
    /// The crop is a rectangle, and all of it is picture.
    case square
    /// Outside of the shape the crop is clear where the format knows that (PNG, WebP), and else of this colour.
    case masked(ground: Color)
}
