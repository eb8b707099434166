// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Converts the pixels of layers to the bytes of a plane, row by row. It averages coverage if a byte stands for several
/// pixels, and codes color as the format requires.
struct PlaneRasterizer {
    private let pattern: PlanePattern
    private let weights: [SIMD4<Float>]
    private let width: Int
    private let height: Int
    private let origin: (x: Int, y: Int)

    init(_ format: PlanFormat, plane: Int) {
        let pattern = format.planes[plane]
        self.pattern = pattern
        weights = pattern.samples.map { format.coding.weights(of: $0.component) }
        (width, height) = (format.info.width, format.info.height)
        origin = (format.visible.x, format.visible.y)
    }

    /// Returns the rows of the plane that an image touches.
    func rows(touchedBy image: RasterImage) -> Range<Int> {
        let top = max(0, image.y + origin.y)
        let bottom = min(height, image.y + origin.y + image.height)
        guard image.width > 0, top < bottom else { return 0..<0 }
        return top / pattern.rows..<(bottom + pattern.rows - 1) / pattern.rows
    }

    /// Draws the image's part of one row of the plane.
    func draw(_ image: RasterImage, row: Int, into bytes: inout AffineRow) {
        let left = max(0, image.x + origin.x)
        let right = min(width, image.x + origin.x + image.width)
        guard left < right else { return }
        let groups = left / pattern.columns..<(right + pattern.columns - 1) / pattern.columns
        image.pixels.withUnsafeBufferPointer { pixels in
            for group in groups { draw(pixels, image, row, group, bytes) }
        }
        bytes.touch(groups.lowerBound * pattern.samples.count..<groups.upperBound * pattern.samples.count)
    }

    @inline(__always)
    private func draw(
        _ pixels: UnsafeBufferPointer<UInt32>, _ image: RasterImage, _ row: Int, _ group: Int,
        _ bytes: borrowing AffineRow
    ) {
        let mean = self.mean(pixels, image, row, group)
        guard mean.w > 0 else { return }
        let start = group * pattern.samples.count
        for index in 0..<pattern.samples.count {
            let sample = pattern.samples[index]
            guard sample.component != .padding, start + index < bytes.count else { continue }
            guard let column = sample.column else {
                cover(bytes, start + index, mean, weights[index])
                continue
            }
            let pixel = Self.pixel(pixels, image, group * pattern.columns + column - origin.x, row - origin.y)
            cover(bytes, start + index, pixel, weights[index])
        }
    }

    /// Draws over a byte. Rounding, and colors for which video has no code, must not exceed the range of a byte.
    @inline(__always)
    private func cover(_ bytes: borrowing AffineRow, _ index: Int, _ color: SIMD4<Float>, _ weights: SIMD4<Float>) {
        guard color.w > 0 else { return }
        let value = (color * weights).sum()
        bytes.cover(index, alpha: color.w, value: min(max(value, 0), color.w * 255))
    }

    /// Returns the mean of those pixels of the group that are on the frame.
    @inline(__always)
    private func mean(
        _ pixels: UnsafeBufferPointer<UInt32>, _ image: RasterImage, _ row: Int, _ group: Int
    ) -> SIMD4<Float> {
        let (left, top) = (group * pattern.columns, row * pattern.rows)
        if pattern.columns == 1, pattern.rows == 1 {
            return Self.pixel(pixels, image, left - origin.x, top - origin.y)
        }
        let (right, bottom) = (min(width, left + pattern.columns), min(height, top + pattern.rows))
        var sum = SIMD4<Float>.zero
        for y in top..<bottom {
            for x in left..<right { sum += Self.pixel(pixels, image, x - origin.x, y - origin.y) }
        }
        return sum / Float((right - left) * (bottom - top))
    }

    /// Returns red, green and blue premultiplied in 0...255, and alpha in 0...1.
    @inline(__always)
    private static func pixel(
        _ pixels: UnsafeBufferPointer<UInt32>, _ image: RasterImage, _ x: Int, _ y: Int
    ) -> SIMD4<Float> {
        let (column, line) = (x - image.x, y - image.y)
        guard column >= 0, column < image.width, line >= 0, line < image.height else { return .zero }
        let pixel = pixels[line * image.width + column]
        guard pixel != 0 else { return .zero }
        let bytes = SIMD4<UInt32>(pixel &>> 16, pixel &>> 8, pixel, pixel &>> 24) & 0xFF
        return SIMD4<Float>(bytes) * SIMD4(1, 1, 1, 1 / 255)
    }
}
