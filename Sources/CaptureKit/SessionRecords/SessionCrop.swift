// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What was cut out of a picture of a session.
public struct SessionCrop: Sendable, Hashable {
    /// Its file.
    public var file: SessionFileRecord
    /// The corners of the crop in the whole picture, in its pixels, clockwise from the top left.
    public var corners: Quadrilateral
    /// How sure it is that these are the card's edges, 0...1; `nil` where it was cut along the outline.
    public var confidence: Double?

    /// Creates the record of a crop.
    public init(file: SessionFileRecord, corners: Quadrilateral, confidence: Double? = nil) {
        (self.file, self.corners, self.confidence) = (file, corners, confidence)
    }
}
