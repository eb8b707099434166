// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import StillKit

/// The level of a picture for ``Deflicker``: the logarithm of its brightness.
enum PictureLevel {
    /// The part of the pixels that does not count, at each end: lamps, and shadows.
    private static let trim = 0.1

    /// Returns the level of a mean brightness of the ledger.
    static func level(ofBrightness brightness: Double) -> Double { log(max(brightness, 1.0 / 255)) }

    /// Measures a picture of any origin: the mean luma without the darkest and the brightest tenth. A JPEG is decoded at an
    /// eighth of its size. Blocks.
    ///
    /// - Throws: ``CaptureError`` if the picture is damaged.
    static func measure(_ file: PictureFile, until flag: CancelFlag) throws(CaptureError) -> Double {
        var counts = [Int](repeating: 0, count: 256)
        try file.decode(divisor: file.format == .jpeg ? 8 : 1, isStrict: true, until: flag) { row, _ in
            for pixel in row {
                let luma = (UInt32(pixel.x) * 77 + UInt32(pixel.y) * 150 + UInt32(pixel.z) * 29) >> 8
                counts[Int(luma)] += 1
            }
        }
        return level(ofBrightness: trimmedMean(counts) / 255)
    }

    /// Returns the mean of the values of a histogram without the lowest and the highest tenth.
    static func trimmedMean(_ counts: [Int]) -> Double {
        let all = counts.reduce(0, +)
        let (low, high) = (Int(Double(all) * trim), all - Int(Double(all) * trim))
        var (passed, sum) = (0, 0)
        for (value, count) in counts.enumerated() {
            let inside = max(0, min(high, passed + count) - max(low, passed))
            sum += value * inside
            passed += count
        }
        return high > low ? Double(sum) / Double(high - low) : 0
    }
}
