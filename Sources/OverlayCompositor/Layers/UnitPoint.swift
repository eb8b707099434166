// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A point of the frame, or of a layer, in fractions of its width and height: (0, 0) is top left, (1, 1) bottom right.
public struct UnitPoint: Sendable, Hashable {
    /// From the left edge, in widths.
    public var x: Double
    /// From the top edge, in heights.
    public var y: Double

    /// Names a point.
    public init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    /// The middle.
    public static let center = UnitPoint(0.5, 0.5)
}
