// Part of gst-capture. Apache License 2.0, see LICENSE.

/// An upright rectangle in a picture, in pixels with fractions, in the coordinates of ``PixelPoint``.
public struct PixelBox: Sendable, Hashable {
    /// The left edge.
    public var x: Double
    /// The top edge.
    public var y: Double
    /// The distance from the left edge to the right.
    public var width: Double
    /// The distance from the top edge to the bottom.
    public var height: Double

    /// Creates a rectangle.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The center of the rectangle.
    public var center: PixelPoint { PixelPoint(x + width / 2, y + height / 2) }
}

extension PixelBox {
    /// Creates the smallest rectangle that contains all places.
    package init(around places: [PixelPoint]) {
        let (across, down) = (places.map(\.x), places.map(\.y))
        let (left, top) = (across.min() ?? 0, down.min() ?? 0)
        self.init(x: left, y: top, width: (across.max() ?? 0) - left, height: (down.max() ?? 0) - top)
    }

    /// Returns the rectangle rounded to whole pixels and cut to a picture of this size; `nil` if nothing of it is in
    /// the picture.
    package func wholePixels(in width: Int, _ height: Int) -> (x: Int, y: Int, width: Int, height: Int)? {
        guard [x, y, self.width, self.height].allSatisfy(\.isFinite) else { return nil }
        func clamp(_ place: Double, _ limit: Int) -> Int {
            place < Double(limit) ? min(limit, Int(max(0, place.rounded()))) : limit
        }
        let (left, right) = (clamp(x, width), clamp(x + self.width, width))
        let (top, bottom) = (clamp(y, height), clamp(y + self.height, height))
        return left < right && top < bottom ? (left, top, right - left, bottom - top) : nil
    }
}
