// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A rasterized layer: the rectangle of the frame that it touches.
public struct RasterImage: Sendable, Hashable {
    /// The left edge, in pixels of the frame.
    public let x: Int
    /// The top edge, in pixels of the frame.
    public let y: Int
    /// The number of pixels in a row.
    public let width: Int
    /// The number of rows.
    public let height: Int
    /// The pixels, row by row: premultiplied `0xAARRGGBB`. No color channel is larger than alpha.
    public let pixels: [UInt32]

    /// Creates an image. It is empty unless there are `width` times `height` pixels.
    public init(x: Int, y: Int, width: Int, height: Int, pixels: [UInt32]) {
        let (count, isTooLarge) = width.multipliedReportingOverflow(by: height)
        let isWhole = width >= 0 && height >= 0 && !isTooLarge && pixels.count == count
        self.x = x
        self.y = y
        self.width = isWhole ? width : 0
        self.height = isWhole ? height : 0
        self.pixels = isWhole ? pixels : []
    }

    /// An image without pixels.
    public static let empty = RasterImage(x: 0, y: 0, width: 0, height: 0, pixels: [])
}

extension RasterImage {
    /// Returns the part that lies on a frame of this size. A ``Rasterizer`` can return any rectangle.
    func clipped(width frameWidth: Int, height frameHeight: Int) -> RasterImage {
        let columns = Range(from: x, count: width, limit: frameWidth)
        let rows = Range(from: y, count: height, limit: frameHeight)
        guard !columns.isEmpty, !rows.isEmpty else { return .empty }
        if columns.count == width, rows.count == height { return self }
        var clipped: [UInt32] = []
        clipped.reserveCapacity(rows.count * columns.count)
        for row in rows {
            let start = (row - y) * width - x
            clipped += pixels[start + columns.lowerBound..<start + columns.upperBound]
        }
        return RasterImage(
            x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count, pixels: clipped)
    }
}

extension RasterImage {
    /// Returns the mirrored image.
    ///
    /// - Parameter width: The width of the frame that the image is a part of.
    func mirrored(width: Int) -> RasterImage {
        var mirrored: [UInt32] = []
        mirrored.reserveCapacity(pixels.count)
        for row in 0..<height { mirrored += pixels[row * self.width..<(row + 1) * self.width].reversed() }
        return RasterImage(x: width - x - self.width, y: y, width: self.width, height: height, pixels: mirrored)
    }
}

extension RasterImage {
    /// Returns the frame outside this shape, in one color.
    ///
    /// - Parameter opacity: The opacity of the pixels outside the shape, clamped to 0...1.
    /// - Precondition: This image lies on the frame (``clipped(width:height:)``).
    func inverted(width: Int, height: Int, color: Color, opacity: Double) -> RasterImage {
        let opacity = opacity.clampedToUnit
        let shades = (0...255).map { Self.pixel(color, alpha: opacity * (1 - Double($0) / 255)) }
        var frame = [UInt32](repeating: shades[0], count: width * height)
        for row in 0..<self.height {
            let (source, target) = (row * self.width, (y + row) * width + x)
            for column in 0..<self.width { frame[target + column] = shades[Int(pixels[source + column] >> 24)] }
        }
        return RasterImage(x: 0, y: 0, width: width, height: height, pixels: frame)
    }

    private static func pixel(_ color: Color, alpha: Double) -> UInt32 {
        let alpha = (alpha * color.alpha * 255).rounded()
        func premultiplied(_ value: Double) -> UInt32 { UInt32((value * alpha).rounded()) }
        return UInt32(alpha) << 24 | premultiplied(color.red) << 16 | premultiplied(color.green) << 8
            | premultiplied(color.blue)
    }
}
