// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What happened to the layers of an ``Overlay``.
public enum OverlayEvent: Sendable {
    /// The frames that follow show the contents of the last call, but for layers that failed.
    case drawn
    /// A layer cannot be drawn; the others are, and of it the earlier drawing. If nothing can be drawn on what flows, as
    /// on caps that are not raw video or on frames that cannot be mapped, the name is empty, and no ``drawn`` follows.
    case failed(layer: String, OverlayError)
}
