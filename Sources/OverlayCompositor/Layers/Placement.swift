// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The position and the size of a layer. Each kind of layer has its own defaults for properties that are `nil`. Ghosts,
/// grids and letterboxes cover the whole frame and ignore their placement.
public struct Placement: Sendable, Hashable {
    /// The point of the frame on which the layer's anchor lies.
    public var position: UnitPoint?
    /// The point of the layer that lies on the position. If `nil`, it has the same fractions as the position, so that a
    /// position at an edge keeps the layer inside the frame.
    public var anchor: UnitPoint?
    /// The size as a fraction. Pictures and drawings keep their proportions and fit into this fraction of the frame's
    /// width and height. For text, it is the height of a line as a fraction of the frame's shorter side.
    public var size: Double?
    /// The space left free at the frame's edges.
    public var margin: Length?

    /// Creates a placement.
    public init(
        position: UnitPoint? = nil, anchor: UnitPoint? = nil, size: Double? = nil, margin: Length? = nil
    ) {
        self.position = position
        self.anchor = anchor
        self.size = size
        self.margin = margin
    }
}

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

/// A length on the frame.
public enum Length: Sendable, Hashable {
    /// A fraction of the frame's shorter side, so that it looks the same at every size.
    case fraction(Double)
    /// A number of pixels.
    case pixels(Double)

    /// Returns the length in pixels of a frame of this size.
    func pixels(in frame: (width: Int, height: Int)) -> Double {
        switch self {
        case .fraction(let fraction): fraction * Double(min(frame.width, frame.height))
        case .pixels(let pixels): pixels
        }
    }
}
