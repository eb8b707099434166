// Part of gst-capture. Apache License 2.0, see LICENSE.

import CropKit

/// The crop of a session's picture.
public struct SessionCrop: Sendable, Hashable {
    /// The file of the crop.
    public var file: SessionFileRecord
    /// The corners of the crop in the whole picture, in its pixels, clockwise from the top left.
    public var corners: Quadrilateral
    /// The confidence that these are the card's edges, 0...1; `nil` if the crop follows the outline.
    public var confidence: Double?

    /// Creates the record of a crop.
    public init(file: SessionFileRecord, corners: Quadrilateral, confidence: Double? = nil) {
        (self.file, self.corners, self.confidence) = (file, corners, confidence)
    }
}
