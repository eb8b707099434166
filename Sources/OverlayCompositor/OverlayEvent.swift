// Part of gst-capture. Apache License 2.0, see LICENSE.

/// An event of the layers of an ``Overlay``.
public enum OverlayEvent: Sendable {
    /// Frames from now on show the contents of the last call, except layers that failed.
    case drawn
    /// A layer cannot be drawn. Frames show the other layers, and the previous drawing of this one. The name is empty
    /// if nothing can be drawn on the stream, for example if its caps are not raw video or its frames cannot be mapped.
    /// No ``drawn`` follows then.
    case failed(layer: String, OverlayError)
}
