// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Where a layer is, and how large. What is `nil` is left to what suits the kind of layer.
public struct Placement: Sendable, Hashable {
    /// The point of the frame where the layer's anchor lies.
    public var position: UnitPoint?
    /// The point of the layer that lies there; by default the same fractions as the position, so that a position at
    /// an edge keeps the layer inside.
    public var anchor: UnitPoint?
    /// How large, in fractions: of the frame's width and height for pictures and drawings, which keep their proportions
    /// and fit into both; of the frame's shorter side for the height of a line of text.
    public var size: Double?
    /// What is left free at the frame's edges.
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
