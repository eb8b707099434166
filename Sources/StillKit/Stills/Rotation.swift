// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A clockwise rotation of the picture, in degrees.
public enum Rotation: Int, CaseIterable, Sendable {
    /// No rotation.
    case none = 0
    /// A quarter turn to the right.
    case clockwise90 = 90
    /// A half turn.
    case half = 180
    /// A quarter turn to the left.
    case counterclockwise90 = 270
}
