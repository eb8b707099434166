// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// What a session shows.
enum SessionView: Sendable, Hashable {
    /// Layers over the frames of the camera, and what the placeholders in their texts stand for.
    case live(layers: [Layer], values: [String: String])
    /// A page in place of the frames.
    case page(layers: [Layer], PreviewScreen.Ground)
}

extension SessionView {
    /// The same with more values for placeholders; a page has none.
    func adding(_ more: [String: String]) -> SessionView {
        guard case .live(let layers, let values) = self, !more.isEmpty else { return self }
        return .live(layers: layers, values: values.merging(more) { own, _ in own })
    }
}
