// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// Rows of pixels in memory that the caller owns.
struct PixelRows {
    let first: UnsafeMutablePointer<UInt32>
    /// The distance from one row to the next, in pixels.
    let stride: Int
    let width: Int
    let height: Int

    /// Returns a copy of the smallest rectangle with all pixels that are not transparent.
    func image(at x: Int, _ y: Int) -> RasterImage {
        guard let top = (0..<height).first(where: { !isClear($0) }),
            let bottom = (top..<height).last(where: { !isClear($0) })
        else { return .empty }
        let rows = top...bottom
        let left = rows.reduce(width) { min($0, leading($1, before: $0)) }
        let right = rows.reduce(left) { max($0, trailing($1, after: $0)) }
        let pixels = [UInt32](unsafeUninitializedCapacity: (right - left) * rows.count) { copy, count in
            for row in rows {
                for x in left..<right {
                    copy[count] = Self.bounded(self[row][x])
                    count += 1
                }
            }
        }
        return RasterImage(x: x + left, y: y + top, width: right - left, height: rows.count, pixels: pixels)
    }

    // Filters within a drawing round each channel separately, so that a channel can exceed alpha.
    private static func bounded(_ pixel: UInt32) -> UInt32 {
        let alpha = pixel >> 24
        if alpha == 0xFF || pixel == 0 { return pixel }
        return alpha << 24 | min(pixel >> 16 & 0xFF, alpha) << 16 | min(pixel >> 8 & 0xFF, alpha) << 8
            | min(pixel & 0xFF, alpha)
    }

    private subscript(row: Int) -> UnsafeMutablePointer<UInt32> { first + row * stride }

    private func isClear(_ row: Int) -> Bool { leading(row, before: width) == width }

    /// Returns the column of the first pixel of a row that is not transparent; `limit` if there is none before it.
    private func leading(_ row: Int, before limit: Int) -> Int {
        let pixels = self[row]
        var x = 0
        while x < limit, pixels[x] == 0 { x += 1 }
        return x
    }

    /// Returns the column after the last pixel of a row that is not transparent; `limit` if there is none after it.
    private func trailing(_ row: Int, after limit: Int) -> Int {
        let pixels = self[row]
        var x = width
        while x > limit, pixels[x - 1] == 0 { x -= 1 }
        return x
    }
}
