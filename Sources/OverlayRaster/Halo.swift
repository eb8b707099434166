// Part of gst-capture. Apache License 2.0, see LICENSE.

import CRaster
import OverlayCompositor

/// The halo of a drawing: the drawing's alpha, spread to all sides by some distance.
///
/// A pixel's alpha is part coverage, part opacity. The largest alpha near a pixel counts as the opacity there. The
/// pixel's share of it counts as how far the shape extends into the pixel. The halo's edge is therefore as smooth as
/// that of the drawing, and as translucent as the shape that it surrounds.
enum Halo {
    /// The width of the widest halo that is drawn, in pixels. The time it takes grows with the square of the width.
    static let widest = 48.0

    /// Returns an A8 surface of the same size; the caller destroys it (`cairo_surface_destroy`).
    static func mask(
        of pixels: UnsafeMutablePointer<UInt32>, stride: Int, _ width: Int, _ height: Int, width halo: Double
    ) throws(OverlayError) -> OpaquePointer? {
        let surface = cairo_image_surface_create(CAIRO_FORMAT_A8, Int32(width), Int32(height))
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS, let mask = cairo_image_surface_get_data(surface)
        else {
            cairo_surface_destroy(surface)
            throw OverlayError(.tooMuch, "no memory for a halo of \(width) x \(height) pixels")
        }
        let source = AlphaPlane(pixels: pixels, stride: stride, width: width, height: height)
        let target = UnsafeMutableBufferPointer(
            start: mask, count: Int(cairo_image_surface_get_stride(surface)) * height)
        source.spread(by: min(halo, widest), into: target, stride: Int(cairo_image_surface_get_stride(surface)))
        cairo_surface_mark_dirty(surface)
        return surface
    }
}

/// The alpha channel of premultiplied pixels.
private struct AlphaPlane {
    let pixels: UnsafeMutablePointer<UInt32>
    let stride: Int
    let width: Int
    let height: Int

    private struct Offset {
        let x: Int
        let y: Int
        let distance: Float
    }

    func spread(by radius: Double, into mask: UnsafeMutableBufferPointer<UInt8>, stride maskStride: Int) {
        let offsets = Self.offsets(within: radius)
        for y in 0..<height {
            for x in 0..<width where alpha(x, y) != 0 {
                let opacity = opacity(x, y)
                let reach = Float(alpha(x, y)) / Float(opacity) + Float(radius)
                // Inside a shape, the neighbors reach all the same pixels.
                let offsets = isInside(x, y) ? offsets[..<1] : offsets[...]
                for offset in offsets {
                    let (column, row) = (x + offset.x, y + offset.y)
                    guard column >= 0, column < width, row >= 0, row < height else { continue }
                    let value = UInt8(Float(opacity) * min(1, max(0, reach - offset.distance)) + 0.5)
                    let index = row * maskStride + column
                    if mask[index] < value { mask[index] = value }
                }
            }
        }
    }

    private func alpha(_ x: Int, _ y: Int) -> UInt8 { UInt8(truncatingIfNeeded: pixels[y * stride + x] >> 24) }

    /// Returns the largest alpha of a pixel and its neighbors.
    private func opacity(_ x: Int, _ y: Int) -> UInt8 {
        var largest: UInt8 = 0
        for row in max(0, y - 1)...min(height - 1, y + 1) {
            for column in max(0, x - 1)...min(width - 1, x + 1) { largest = max(largest, alpha(column, row)) }
        }
        return largest
    }

    /// Returns `true` if all four neighbors are at least as opaque: one of them reaches each pixel that this one
    /// reaches.
    private func isInside(_ x: Int, _ y: Int) -> Bool {
        guard x > 0, y > 0, x < width - 1, y < height - 1 else { return false }
        let own = alpha(x, y)
        return alpha(x - 1, y) >= own && alpha(x + 1, y) >= own && alpha(x, y - 1) >= own && alpha(x, y + 1) >= own
    }

    /// Returns the offset of the pixel itself, then those of all pixels that its halo can reach.
    private static func offsets(within radius: Double) -> [Offset] {
        let side = Int((radius + 1).rounded(.up))
        var offsets = [Offset(x: 0, y: 0, distance: 0)]
        for y in -side...side {
            for x in -side...side where (x, y) != (0, 0) {
                let distance = Double(x * x + y * y).squareRoot()
                if distance < radius + 1 { offsets.append(Offset(x: x, y: y, distance: Float(distance))) }
            }
        }
        return offsets
    }
}
