// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A condition that must hold before a picture.
public enum Gate: String, Sendable, Hashable, CaseIterable {
    /// The camera does not move.
    case steady
    /// The picture is as sharp as it can be.
    case focus
    /// The picture is neither too dark nor too bright.
    case light
    /// The edges of the subject lie on the outline.
    case aligned
    /// A face is in the picture.
    case face
}
