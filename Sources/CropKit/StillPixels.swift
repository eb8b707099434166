// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures

/// A picture in memory, upright: red, green, blue and alpha of each pixel, row by row, alpha not premultiplied.
package struct StillPixels: Sendable {
    let width: Int
    let height: Int
    var pixels: [SIMD4<UInt8>]

    package init(width: Int, height: Int, pixels: [SIMD4<UInt8>]) {
        (self.width, self.height, self.pixels) = (width, height, pixels)
    }

    /// Returns a part of the picture, unchanged.
    func part(_ box: (x: Int, y: Int, width: Int, height: Int)) -> StillPixels {
        var part: [SIMD4<UInt8>] = []
        part.reserveCapacity(box.width * box.height)
        for row in box.y..<box.y + box.height {
            part += pixels[row * width + box.x..<row * width + box.x + box.width]
        }
        return StillPixels(width: box.width, height: box.height, pixels: part)
    }

    /// The brightness of the picture, with the weights of BT.601.
    var luma: LumaPlane {
        LumaPlane(
            width: width, height: height,
            samples: pixels.map { pixel in
                let sum = SIMD4<UInt32>(truncatingIfNeeded: pixel) &* SIMD4(77, 150, 29, 0)
                return UInt8(truncatingIfNeeded: (sum.wrappedSum() &+ 128) >> 8)
            })
    }
}

extension StillPixels {
    /// Returns the picture as seen through a map from the new picture to this one, interpolated between pixels
    /// (bilinear).
    ///
    /// - Parameter outside: The color of places outside of this picture.
    func warped(width: Int, height: Int, by map: Homography, outside: SIMD4<UInt8>) -> StillPixels {
        let sampler = PixelSampler(width: self.width, height: self.height, outside: outside)
        let warped = pixels.withUnsafeBufferPointer { source in
            [SIMD4<UInt8>](unsafeUninitializedCapacity: width * height) { target, count in
                for y in 0..<height {
                    for x in 0..<width {
                        let place = map(PixelPoint(Double(x) + 0.5, Double(y) + 0.5))
                        target.initializeElement(at: y * width + x, to: sampler.pixel(at: place, of: source))
                    }
                }
                count = width * height
            }
        }
        return StillPixels(width: width, height: height, pixels: warped)
    }

    /// Makes the pixels transparent that a shape does not cover.
    ///
    /// - Parameter coverage: Returns the coverage of a place of this picture, 0...1.
    mutating func mask(_ coverage: (PixelPoint) -> Float) {
        for y in 0..<height {
            for x in 0..<width {
                let covered = coverage(PixelPoint(Double(x) + 0.5, Double(y) + 0.5))
                let index = y * width + x
                pixels[index].w = UInt8((Float(pixels[index].w) * covered).rounded())
            }
        }
    }

    /// Blends the picture onto a color, which fills the transparent pixels.
    mutating func flatten(on ground: SIMD4<UInt8>) {
        let ground = SIMD4<Float>(ground)
        for index in pixels.indices where pixels[index].w < 255 {
            let (pixel, alpha) = (SIMD4<Float>(pixels[index]), Float(pixels[index].w) / 255)
            var mixed = SIMD4<UInt8>((pixel * alpha + ground * (1 - alpha)).rounded(.toNearestOrEven))
            mixed.w = 255
            pixels[index] = mixed
        }
    }
}

/// Samples a picture between its pixels.
private struct PixelSampler {
    let width: Int
    let height: Int
    let outside: SIMD4<UInt8>

    /// Returns the interpolated pixel. Within half a pixel of the border, the outermost pixels repeat.
    @inline(__always)
    func pixel(at place: PixelPoint, of pixels: UnsafeBufferPointer<SIMD4<UInt8>>) -> SIMD4<UInt8> {
        guard place.x >= 0, place.y >= 0, place.x <= Double(width), place.y <= Double(height) else { return outside }
        let x = min(max(0, place.x - 0.5), Double(width - 1))
        let y = min(max(0, place.y - 0.5), Double(height - 1))
        let (left, top) = (Int(x), Int(y))
        let (right, bottom) = (min(left + 1, width - 1), min(top + 1, height - 1))
        let (across, down) = (Float(x - Double(left)), Float(y - Double(top)))
        @inline(__always) func color(_ x: Int, _ y: Int) -> SIMD4<Float> { SIMD4<Float>(pixels[y * width + x]) }
        let upper = color(left, top) * (1 - across) + color(right, top) * across
        let lower = color(left, bottom) * (1 - across) + color(right, bottom) * across
        return SIMD4<UInt8>((upper * (1 - down) + lower * down).rounded(.toNearestOrEven))
    }
}
