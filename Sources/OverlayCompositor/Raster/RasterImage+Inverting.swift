// Part of gst-capture. Apache License 2.0, see LICENSE.

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
