// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// What a session shows.
enum SessionView: Sendable, Hashable {
    /// Layers over the frames of the camera, and what the placeholders in their texts stand for.
    case live(layers: [Layer], values: [String: String])
    /// A page in place of the frames.
    case page(layers: [Layer], PreviewScreen.Ground)
}
