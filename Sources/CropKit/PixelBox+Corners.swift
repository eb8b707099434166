// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures

extension PixelBox {
    /// The corners of the rectangle.
    public var corners: Quadrilateral {
        Quadrilateral(
            topLeft: PixelPoint(x, y), topRight: PixelPoint(x + width, y),
            bottomRight: PixelPoint(x + width, y + height), bottomLeft: PixelPoint(x, y + height))
    }
}
