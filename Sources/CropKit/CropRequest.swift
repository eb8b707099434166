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
    /// `true` to find the four edges of a card near the outline, to crop to them, and to remove the perspective.
    public var isRectified = false
    /// The movement of the picture under the outline before cropping.
    public var adjustment = CropAdjustment()
    /// The format of the crop; `nil` for the format of the still.
    public var format: StillFormat?
    /// The quality of JPEG and WebP, 1...100.
    public var quality = 95

    /// The width of the crop in print, in millimeters, which its file states as its density; `nil` for none.
    public var printWidth: Double?

    /// Creates a request for a crop to an outline.
    public init(_ outline: Outline) { self.outline = outline }
}

/// A still cropped to an outline: a finished file, and the geometry of the cut.
public struct CroppedStill: Sendable {
    /// The file, with the tags of the original still or those that the caller gave.
    public let bytes: [UInt8]
    /// The format of the file.
    public let format: StillFormat
    /// The size of the crop, in pixels.
    public let width: Int, height: Int
    /// The corners of the crop, in pixels of the still as a viewer shows it.
    public let corners: Quadrilateral
    /// The confidence that these are the card's edges, 0...1; `nil` if they were not searched for.
    public let confidence: Double?
}
