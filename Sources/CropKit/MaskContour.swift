// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import OverlayCompositor

/// The contour of a mask, clockwise along the edges of pixels that are at least half covered. If there are several
/// contours, it is the one with the largest area. Holes do not count.
package struct MaskContour {
    /// The corners of the contour, in pixels of the mask's frame. The first corner is not repeated at the end. Empty if
    /// no pixel is at least half covered.
    package let corners: [PixelPoint]

    /// Finds the contour of a mask. Takes time proportional to the number of pixels, so call it on a thread that may
    /// block.
    ///
    /// - Parameter mask: A rasterized outline. Only alpha counts: a pixel with an alpha of 128 or more is covered. The
    ///   mask's place in the frame (`x` and `y`) is added to the corners.
    package init(_ mask: RasterImage) {
        var walk = Walk(mask)
        var largest = (area: 0.0, corners: [PixelPoint]())
        for y in 0..<mask.height {
            for x in 0..<mask.width where walk.begins(at: x, y) {
                let corners = walk.round(from: x, y)
                let area = Self.area(of: corners)
                if area > largest.area { largest = (area, corners) }
            }
        }
        corners = largest.corners.map { PixelPoint($0.x + Double(mask.x), $0.y + Double(mask.y)) }
    }

    /// Returns twice the area; negative around a hole.
    private static func area(of corners: [PixelPoint]) -> Double {
        zip(corners, corners.dropFirst() + corners.prefix(1)).reduce(0) { $0 + $1.0.cross($1.1) }
    }
}

extension MaskContour {
    /// Follows the edge with the covered pixels on the right.
    private struct Walk {
        private let mask: RasterImage
        /// `true` for pixels whose left edge the walk has already passed upward.
        private var known: [Bool]

        init(_ mask: RasterImage) {
            self.mask = mask
            known = [Bool](repeating: false, count: mask.pixels.count)
        }

        private func covers(_ x: Int, _ y: Int) -> Bool {
            x >= 0 && y >= 0 && x < mask.width && y < mask.height && mask.pixels[y * mask.width + x] >> 24 >= 128
        }

        /// Returns `true` at a left edge of the covered area that no walk has passed yet.
        func begins(at x: Int, _ y: Int) -> Bool { covers(x, y) && !covers(x - 1, y) && !known[y * mask.width + x] }

        /// Walks from the lower left corner of a pixel, upward first, until it returns to the start.
        mutating func round(from x: Int, _ y: Int) -> [PixelPoint] {
            var corners: [PixelPoint] = []
            var (place, way) = ((x: x, y: y + 1), (x: 0, y: -1))
            repeat {
                if way == (0, -1) { known[(place.y - 1) * mask.width + place.x] = true }
                place = (place.x + way.x, place.y + way.y)
                let next = turn(at: place, way)
                if next != way { corners.append(PixelPoint(Double(place.x), Double(place.y))) }
                way = next
            } while place != (x, y + 1) || way != (0, -1)
            return corners
        }

        /// Returns the next direction. Two pixels that touch only at a corner count as one shape.
        private func turn(at place: (x: Int, y: Int), _ way: (x: Int, y: Int)) -> (x: Int, y: Int) {
            let left = (x: way.y, y: -way.x)
            if covers(ahead(of: place, way, left)) { return left }
            let right = (x: -way.y, y: way.x)
            return covers(ahead(of: place, way, right)) ? way : right
        }

        /// Returns the pixel ahead, on the given side.
        private func ahead(
            of place: (x: Int, y: Int), _ way: (x: Int, y: Int), _ hand: (x: Int, y: Int)
        ) -> (x: Int, y: Int) {
            (place.x + (way.x + hand.x - 1) / 2, place.y + (way.y + hand.y - 1) / 2)
        }

        private func covers(_ pixel: (x: Int, y: Int)) -> Bool { covers(pixel.x, pixel.y) }
    }
}
