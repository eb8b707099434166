// Part of gst-capture. Apache License 2.0, see LICENSE.

import CropKit

/// A JPEG of 16 × 8 pixels.
enum SmallPicture {
    /// Returns the picture in a shade of gray, which makes it differ from others.
    static func jpeg(_ shade: UInt8 = 100) async throws -> [UInt8] {
        let pixels = [SIMD4<UInt8>](repeating: SIMD4(shade, shade, shade, 255), count: 16 * 8)
        return try await StillCoding.encode(StillPixels(width: 16, height: 8, pixels: pixels), .jpeg, quality: 90)
    }
}
