// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// Formats a crop for programs.
struct CropListing {
    private let source: String
    private let path: String
    private let crop: CroppedStill

    init(_ source: String, _ path: String, _ crop: CroppedStill) {
        (self.source, self.path, self.crop) = (source, path, crop)
    }

    /// One object.
    var json: JSONValue {
        .object([
            "source": .string(source), "path": path == "-" ? .null : .string(path),
            "format": .string(crop.format.rawValue), "width": .integer(crop.width), "height": .integer(crop.height),
            "corners": .array(crop.corners.corners.map { .array([.number($0.x), .number($0.y)]) }),
            "confidence": crop.confidence.map { .number($0) } ?? .null,
        ])
    }
}
