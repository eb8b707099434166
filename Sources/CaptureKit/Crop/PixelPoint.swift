// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A place in a picture, in pixels and parts of them.
///
/// Pixels are areas: the one in column 3 reaches from 3 to 4, and its centre is at 3.5. So a scale is a plain product, and
/// a mirrored `x` is the width minus `x`.
public struct PixelPoint: Sendable, Hashable {
    /// From the left edge.
    public var x: Double
    /// From the top edge.
    public var y: Double

    /// Names a place.
    public init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    /// How far it is to another place.
    public func distance(to other: PixelPoint) -> Double {
        ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
    }
}

extension PixelPoint {
    static func + (left: PixelPoint, right: PixelPoint) -> PixelPoint { PixelPoint(left.x + right.x, left.y + right.y) }
    static func - (left: PixelPoint, right: PixelPoint) -> PixelPoint { PixelPoint(left.x - right.x, left.y - right.y) }
    static func * (point: PixelPoint, factor: Double) -> PixelPoint { PixelPoint(point.x * factor, point.y * factor) }

    /// The z of the cross product: above 0 where `other` lies clockwise of this, as y grows downwards.
    func cross(_ other: PixelPoint) -> Double { x * other.y - y * other.x }

    /// The place in between; 0 is this one, 1 the other.
    func toward(_ other: PixelPoint, _ share: Double) -> PixelPoint { self + (other - self) * share }

    var isFinite: Bool { x.isFinite && y.isFinite }
}
