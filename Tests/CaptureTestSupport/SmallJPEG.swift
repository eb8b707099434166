// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// A gray JPEG of 16 × 8 pixels in 160 bytes, for tests that need many different pictures at no cost.
package enum SmallJPEG {
    private static let base =
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1x"
        + "eXBkeFxlZ2P/wAALCAAIABABAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AD//Z"

    /// Returns the picture with a comment that makes its bytes differ from others.
    package static func bytes(_ comment: Int = 0) -> [UInt8] {
        let picture = Array(Data(base64Encoded: base) ?? Data())
        let text = Array("\(comment)".utf8)
        return Array(picture.prefix(2)) + [0xFF, 0xFE, 0, UInt8(text.count + 2)] + text + Array(picture.dropFirst(2))
    }

    /// Writes the picture to a file.
    package static func write(_ path: String, _ comment: Int = 0) throws {
        try Data(bytes(comment)).write(to: URL(filePath: path))
    }
}
