// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor
import PipelineKit
import StillKit

extension StillCoding {
    /// Returns a small JPEG of a picture, upright, and at most `width` pixels wide. A smaller picture keeps its size.
    ///
    /// - Throws: ``CaptureError`` if the file is damaged, too large, or neither JPEG nor PNG.
    package static func thumbnail(
        of bytes: [UInt8], _ format: StillFormat, width: Int
    ) async throws(CaptureError) -> [UInt8] {
        let picture = try await pixels(of: bytes, format)
        let small = await BlockingWork.run { shrunk(picture, to: width) }
        return try await encode(small, .jpeg, quality: 80)
    }

    /// Averages the pixels of the picture that each pixel of the result covers.
    static func shrunk(_ picture: StillPixels, to width: Int) -> StillPixels {
        guard picture.width > width else { return picture }
        let height = max(1, picture.height * width / picture.width)
        var pixels: [SIMD4<UInt8>] = []
        pixels.reserveCapacity(width * height)
        for row in 0..<height {
            let rows = covered(row, of: height, in: picture.height)
            for column in 0..<width {
                pixels.append(mean(picture, rows, covered(column, of: width, in: picture.width)))
            }
        }
        return StillPixels(width: width, height: height, pixels: pixels)
    }

    private static func covered(_ index: Int, of count: Int, in length: Int) -> Range<Int> {
        let start = index * length / count
        return start..<max(start + 1, (index + 1) * length / count)
    }

    private static func mean(_ picture: StillPixels, _ rows: Range<Int>, _ columns: Range<Int>) -> SIMD4<UInt8> {
        var sum = SIMD4<UInt32>(repeating: 0)
        for row in rows {
            for column in columns {
                sum &+= SIMD4<UInt32>(truncatingIfNeeded: picture.pixels[row * picture.width + column])
            }
        }
        let count = UInt32(rows.count * columns.count)
        return SIMD4<UInt8>(truncatingIfNeeded: (sum &+ SIMD4(repeating: count / 2)) / SIMD4(repeating: count))
    }
}
