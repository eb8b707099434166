// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The position and the size of a layer. Each kind of layer has its own defaults for properties that are `nil`.
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
