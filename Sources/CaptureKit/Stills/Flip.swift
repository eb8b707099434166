// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A mirroring of the picture.
public enum Flip: String, CaseIterable, Sendable {
    /// As it is.
    case none
    /// Left and right change places.
    case horizontal
    /// Top and bottom change places.
    case vertical
}
