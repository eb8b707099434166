// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What kind of capture a preset describes.
public enum CaptureMode: String, Sendable, Hashable, CaseIterable {
    /// One picture, or one burst.
    case snap
    /// A picture every interval.
    case timelapse
    /// A window with the camera's picture, and a picture whenever one is asked for.
    case preview
}
