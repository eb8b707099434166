// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What a rasteriser has drawn: the rectangle of the frame that it touched.
public struct RasterImage: Sendable, Hashable {
    /// The left edge, in pixels of the frame.
    public let x: Int
    /// The top edge.
    public let y: Int
    /// Pixels in a row.
    public let width: Int
    /// Rows.
    public let height: Int
    /// Row by row, `0xAARRGGBB`, premultiplied: no colour is larger than its alpha.
    public let pixels: [UInt32]

    /// Puts a rectangle together. It is empty unless there are `width` times `height` pixels.
    public init(x: Int, y: Int, width: Int, height: Int, pixels: [UInt32]) {
        let (count, isTooLarge) = width.multipliedReportingOverflow(by: height)
        let isWhole = width >= 0 && height >= 0 && !isTooLarge && pixels.count == count
        self.x = x
        self.y = y
        self.width = isWhole ? width : 0
        self.height = isWhole ? height : 0
        self.pixels = isWhole ? pixels : []
    }

    /// Nothing.
    public static let empty = RasterImage(x: 0, y: 0, width: 0, height: 0, pixels: [])
}

extension RasterImage {
    /// The part that lies on a frame of this size; a rasteriser can answer with any rectangle.
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
