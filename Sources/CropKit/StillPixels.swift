// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FrameMeasures
import StillKit

/// A picture in memory, upright: red, green, blue and alpha of each pixel, row by row, alpha not premultiplied.
package struct StillPixels: Sendable {
    let width: Int
    let height: Int
    var pixels: [SIMD4<UInt8>]
    /// The memory that is reserved for the picture; `nil` for a small one, or one that another picture's claim covers.
    var memory: DecodingMemory.Claim?

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
    /// Decodes a file, and turns the picture upright. Blocks.
    ///
    /// - Throws: The errors of ``PictureFile/decode(divisor:isStrict:until:begin:add:)``.
    init(
        _ file: PictureFile, _ orientation: Orientation, isStrict: Bool, until flag: CancelFlag
    ) throws(CaptureError) {
        let path = UprightPath(orientation, width: file.width, height: file.height)
        var failure: CaptureError?
        let pixels = [SIMD4<UInt8>](unsafeUninitializedCapacity: file.width * file.height) { pixels, count in
            do throws(CaptureError) {
                try file.decode(isStrict: isStrict, until: flag) { row, y in path.write(row, y, to: pixels) }
                count = file.width * file.height
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        (width, height) = orientation.swapsAxes ? (file.height, file.width) : (file.width, file.height)
        self.pixels = pixels
    }

    /// Returns the picture turned upright.
    func turned(by orientation: Orientation) -> StillPixels {
        guard orientation != .upright else { return self }
        let path = UprightPath(orientation, width: width, height: height)
        let turned = pixels.withUnsafeBufferPointer { source in
            [SIMD4<UInt8>](unsafeUninitializedCapacity: source.count) { pixels, count in
                for y in 0..<height {
                    path.write(UnsafeBufferPointer(rebasing: source[y * width..<(y + 1) * width]), y, to: pixels)
                }
                count = source.count
            }
        }
        let isSwapped = orientation.swapsAxes
        return StillPixels(width: isSwapped ? height : width, height: isSwapped ? width : height, pixels: turned)
    }

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

/// The places in the upright picture to which the pixels of a stored row go.
private struct UprightPath {
    private let start: (_ y: Int) -> Int
    private let step: Int

    init(_ orientation: Orientation, width: Int, height: Int) {
        let last = width - 1
        (start, step) =
            switch orientation {
            case .upright: ({ $0 * width }, 1)
            case .mirrored: ({ $0 * width + last }, -1)
            case .upsideDown: ({ (height - 1 - $0) * width + last }, -1)
            case .flipped: ({ (height - 1 - $0) * width }, 1)
            case .transposed: ({ $0 }, height)
            case .turnedRight: ({ height - 1 - $0 }, height)
            case .transversed: ({ last * height + height - 1 - $0 }, -height)
            case .turnedLeft: ({ last * height + $0 }, -height)
            }
    }

    /// Writes a row into a picture of as many pixels.
    func write(_ row: UnsafeBufferPointer<SIMD4<UInt8>>, _ y: Int, to pixels: UnsafeMutableBufferPointer<SIMD4<UInt8>>)
    {
        var place = start(y)
        for pixel in row {
            pixels.initializeElement(at: place, to: pixel)
            place += step
        }
    }
}
