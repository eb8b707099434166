// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A mirroring of the picture.
public enum Flip: String, CaseIterable, Sendable {
    /// No mirroring.
    case none
    /// Swaps left and right.
    case horizontal
    /// Swaps top and bottom.
    case vertical
}
