// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import StillKit

/// Makes pictures smaller for receivers that limit the size of a message.
package enum SmallerPicture {
    private static let (mostAttempts, leastWidth) = (6, 64)

    /// Returns a picture as an upright JPEG with fewer pixels; `nil` if it would have less than 64 columns.
    ///
    /// - Parameter most: The maximum size of the result in bytes.
    /// - Throws: `CaptureError` if the JPEG is damaged or too large.
    package static func jpeg(of bytes: [UInt8], atMost most: Int) async throws(CaptureError) -> [UInt8]? {
        // The size grows with the number of pixels.
        let scale = min(1, (Double(most) / Double(max(1, bytes.count))).squareRoot())
        var width = Int(Double(try JPEGPicture(bytes).width) * scale)
        for _ in 0..<mostAttempts where width >= leastWidth {
            let result = try await StillCoding.thumbnail(of: bytes, .jpeg, width: width)
            if result.count <= most { return result }
            width = width * 3 / 4
        }
        return nil
    }
}
