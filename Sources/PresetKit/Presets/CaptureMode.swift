// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The kind of capture that a preset describes.
public enum CaptureMode: String, Sendable, Hashable, CaseIterable {
    /// One picture, or one burst.
    case snap
    /// A picture every interval.
    case timelapse
    /// A window with the camera's picture, and a picture at each request of the user.
    case preview
}
