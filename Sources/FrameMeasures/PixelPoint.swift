// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A place in a picture, in pixels with fractions.
///
/// Pixels are areas: the one in column 3 reaches from 3 to 4, and its center is at 3.5. A scale is therefore a plain
/// product, and a mirrored `x` is the width minus `x`.
public struct PixelPoint: Sendable, Hashable {
    /// The distance from the left edge.
    public var x: Double
    /// The distance from the top edge.
    public var y: Double

    /// Creates a place.
    public init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    /// Returns the distance to another place.
    public func distance(to other: PixelPoint) -> Double {
        ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
    }
}

extension PixelPoint {
    package static func + (left: PixelPoint, right: PixelPoint) -> PixelPoint {
        PixelPoint(left.x + right.x, left.y + right.y)
    }
    package static func - (left: PixelPoint, right: PixelPoint) -> PixelPoint {
        PixelPoint(left.x - right.x, left.y - right.y)
    }
    package static func * (point: PixelPoint, factor: Double) -> PixelPoint {
        PixelPoint(point.x * factor, point.y * factor)
    }

    /// Returns the z of the cross product: positive if `other` is clockwise of this vector, as y grows downward.
    package func cross(_ other: PixelPoint) -> Double { x * other.y - y * other.x }

    /// Returns a place on the line to `other`: 0 is this one, 1 the other.
    package func toward(_ other: PixelPoint, _ share: Double) -> PixelPoint { self + (other - self) * share }

    package var isFinite: Bool { x.isFinite && y.isFinite }
}
