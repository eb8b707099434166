// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import Testing

extension RasterImage {
    /// The pixel at a place of the frame; 0 outside of the image.
    subscript(x: Int, y: Int) -> UInt32 {
        let (column, row) = (x - self.x, y - self.y)
        guard 0..<width ~= column, 0..<height ~= row else { return 0 }
        return pixels[row * width + column]
    }

    /// Left, top, width, height.
    var bounds: [Int] { [x, y, width, height] }

    /// `true` if no color is larger than its alpha.
    var isPremultiplied: Bool {
        pixels.allSatisfy { pixel in [16, 8, 0].allSatisfy { pixel >> $0 & 0xFF <= pixel >> 24 } }
    }

    /// The sum of all alphas, in whole opaque pixels.
    var ink: Double { pixels.reduce(0) { $0 + Double($1 >> 24) / 255 } }
}

extension RasterImage: CustomTestStringConvertible {
    /// Without the pixels, which are many.
    public var testDescription: String { "raster \(bounds)" }
}

extension UInt32 {
    var alpha: UInt32 { self >> 24 }

    /// `true` if no channel differs by more than `tolerance`.
    func isNear(_ other: UInt32, within tolerance: Int = 2) -> Bool {
        [24, 16, 8, 0].allSatisfy { abs(Int(self >> $0 & 0xFF) - Int(other >> $0 & 0xFF)) <= tolerance }
    }
}
