// Part of gst-capture. Apache License 2.0, see LICENSE.

import StillKit

/// A still cropped to an outline: a finished file, and the geometry of the cut.
public struct CroppedStill: Sendable {
    /// The file, with the tags of the original still.
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
