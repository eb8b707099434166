// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A point of the frame or of a layer, in fractions of its width and height: (0, 0) is the top left, (1, 1) the bottom
/// right.
public struct UnitPoint: Sendable, Hashable {
    /// The distance from the left edge, as a fraction of the width.
    public var x: Double
    /// The distance from the top edge, as a fraction of the height.
    public var y: Double

    /// Creates a point.
    public init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    /// The center.
    public static let center = UnitPoint(0.5, 0.5)
}
