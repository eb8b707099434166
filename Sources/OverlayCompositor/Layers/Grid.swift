// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Lines that help to compose a picture.
public enum Grid: String, Sendable, Hashable, CaseIterable {
    /// At a third and two thirds of width and height.
    case thirds
    /// At the golden section, 0.382 and 0.618.
    case golden
    /// Through the middle, from edge to edge.
    case crosshair
    /// A small cross in the middle.
    case centre
}
