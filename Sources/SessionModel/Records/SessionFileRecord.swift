// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit

/// A file of a session, as `session.json` describes it.
public struct SessionFileRecord: Sendable, Hashable {
    /// The name in the session's folder.
    public var name: String
    /// The size in bytes.
    public var byteCount: Int
    /// The SHA-256 of the file, as 64 hexadecimal digits.
    public var sha256: String
    /// The size in pixels, as viewers show the picture.
    public var width: Int, height: Int

    /// Creates the record of a file.
    public init(name: String, byteCount: Int, sha256: String, width: Int, height: Int) {
        (self.name, self.byteCount, self.sha256) = (name, byteCount, sha256)
        (self.width, self.height) = (width, height)
    }

    /// Creates the record of a file with this content. It blocks while it computes the hash.
    package init(name: String, _ bytes: [UInt8], width: Int, height: Int) {
        self.init(
            name: name, byteCount: bytes.count, sha256: SHA256.digits(of: bytes), width: width, height: height)
    }
}

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
