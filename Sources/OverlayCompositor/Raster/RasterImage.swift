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

    /// Puts a rectangle together.
    ///
    /// - Precondition: as many pixels as width times height.
    public init(x: Int, y: Int, width: Int, height: Int, pixels: [UInt32]) {
        precondition(width >= 0 && height >= 0 && pixels.count == width * height, "a raster of \(width) x \(height)")
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// Nothing.
    public static let empty = RasterImage(x: 0, y: 0, width: 0, height: 0, pixels: [])
}
