// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import OverlayCompositor

/// The view of a session on the preview.
enum SessionView: Sendable, Hashable {
    /// Layers over the camera's frames, and values for the placeholders in their texts.
    case live(layers: [Layer], values: [String: String])
    /// A page in place of the frames.
    case page(layers: [Layer], PreviewScreen.Ground)
}

extension SessionView {
    /// Returns the view with more values for placeholders, except for names that have a value. A page has no values.
    func adding(_ more: [String: String]) -> SessionView {
        guard case .live(let layers, let values) = self, !more.isEmpty else { return self }
        return .live(layers: layers, values: values.merging(more) { own, _ in own })
    }
}
