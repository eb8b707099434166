// Part of gst-capture. Apache License 2.0, see LICENSE.

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
