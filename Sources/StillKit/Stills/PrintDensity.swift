// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

/// The pixels of a meter in print, which give a picture its size on paper.
package struct PrintDensity: Sendable, Hashable {
    package let dotsPerMeter: Int

    /// - Parameter millimeters: The width in print; more than 0.
    package init(width: Int, millimeters: Double) {
        dotsPerMeter = Int(min(max(1, (Double(width) * 1000 / millimeters).rounded()), 1_000_000))
    }

    /// Returns the file with this density in its JFIF header or its pHYs chunk. WebP has none.
    ///
    /// - Throws: ``CaptureError`` `.inputOutput` if the file is not a complete JPEG or PNG.
    package func written(in file: [UInt8], _ format: StillFormat) throws(CaptureError) -> [UInt8] {
        switch format {
        case .jpeg: return try JPEGPicture(file).printed(dotsPerMeter: dotsPerMeter)
        case .png:
            let plain = PNGChunks(file).without(["pHYs"])
            // Directly after the header, before any image data (PNG 3rd edition, 11.3.4.3).
            let afterHeader = 33
            guard plain.count > afterHeader else { throw .damaged("PNG") }
            let density = UInt32(dotsPerMeter).networkBytes
            let body = Array("pHYs".utf8) + density + density + [1]
            let chunk = UInt32(9).networkBytes + body + CRC32.checksum(body).networkBytes
            return plain.with(chunk, inPlaceOf: afterHeader..<afterHeader)
        case .webp, .raw: return file
        }
    }
}
