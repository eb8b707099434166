// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A turn of the picture, clockwise, in degrees.
public enum Rotation: Int, CaseIterable, Sendable {
    /// As it is.
    case none = 0
    /// A quarter to the right.
    case clockwise90 = 90
    /// Upside down.
    case half = 180
    /// A quarter to the left.
    case counterclockwise90 = 270
}
