// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Lines that help to compose a picture.
public enum Grid: String, Sendable, Hashable, CaseIterable {
    /// Lines at one third and two thirds of the width and the height.
    case thirds
    /// Lines at the golden section: 0.382 and 0.618 of the width and the height.
    case golden
    /// Two lines through the center, from edge to edge.
    case crosshair
    /// A small cross at the center.
    case center = "centre"
}
