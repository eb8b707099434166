// Part of gst-capture. Apache License 2.0, see LICENSE.

import CRaster
import OverlayCompositor

/// What lies within some distance of a drawing: the drawing's alpha, spread on all sides.
///
/// A pixel's alpha is part coverage, part opacity. The largest alpha near it is taken for the opacity there, and its
/// share of that for how far the shape reaches into the pixel: so the edge is as smooth as the drawing's own, and as
/// translucent as what it surrounds.
enum Halo {
    /// The widest edge that is drawn, in pixels: the time it takes grows with the square.
    static let widest = 48.0

    /// An A8 surface of the same size; the caller destroys it (`cairo_surface_destroy`).
    static func mask(
        of pixels: UnsafeMutablePointer<UInt32>, stride: Int, _ width: Int, _ height: Int, width halo: Double
    ) throws(OverlayError) -> OpaquePointer? {
        let surface = cairo_image_surface_create(CAIRO_FORMAT_A8, Int32(width), Int32(height))
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS, let mask = cairo_image_surface_get_data(surface)
        else {
            cairo_surface_destroy(surface)
            throw OverlayError(.tooMuch, "no room for a halo of \(width) x \(height) pixels")
        }
        let source = AlphaPlane(pixels: pixels, stride: stride, width: width, height: height)
        let target = UnsafeMutableBufferPointer(
            start: mask, count: Int(cairo_image_surface_get_stride(surface)) * height)
        source.spread(by: min(halo, widest), into: target, stride: Int(cairo_image_surface_get_stride(surface)))
        cairo_surface_mark_dirty(surface)
        return surface
    }
}

/// The alpha of premultiplied pixels.
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
                // Inside of a shape, the neighbours do it.
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

    /// The largest alpha of a pixel and its neighbours.
    private func opacity(_ x: Int, _ y: Int) -> UInt8 {
        var largest: UInt8 = 0
        for row in max(0, y - 1)...min(height - 1, y + 1) {
            for column in max(0, x - 1)...min(width - 1, x + 1) { largest = max(largest, alpha(column, row)) }
        }
        return largest
    }

    /// True where all four neighbours are as opaque: whatever this pixel reaches, one of them does.
    private func isInside(_ x: Int, _ y: Int) -> Bool {
        guard x > 0, y > 0, x < width - 1, y < height - 1 else { return false }
        let own = alpha(x, y)
        return alpha(x - 1, y) >= own && alpha(x + 1, y) >= own && alpha(x, y - 1) >= own && alpha(x, y + 1) >= own
    }

    /// The pixel itself, then all that its edge can reach.
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
