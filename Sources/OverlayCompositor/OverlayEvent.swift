// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What happened to the layers of an ``Overlay``.
public enum OverlayEvent: Sendable {
    /// The frames that follow show the contents of the last call, but for layers that failed.
    case drawn
    /// A layer cannot be drawn; the others are, and of it what was there before.
    case failed(layer: String, OverlayError)
}
