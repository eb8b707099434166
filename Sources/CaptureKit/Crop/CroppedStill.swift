// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A still cropped to an outline: a finished file, and what was found on the way.
public struct CroppedStill: Sendable {
    /// The file, with the tags of the still that it was cut from.
    public let bytes: [UInt8]
    /// What the file is.
    public let format: StillFormat
    /// Pixels in a row and rows.
    public let width: Int, height: Int
    /// Where it was cut from the still as that is shown: the corners of the crop, in the still's pixels.
    public let corners: Quadrilateral
    /// How sure it is that these are the card's edges, 0...1; `nil` where they were not looked for.
    public let confidence: Double?
}
