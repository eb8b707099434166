// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import OverlayCompositor

extension Notice {
    /// Creates a notice of a layer that the preview does not show.
    package init(_ error: OverlayError, ofLayer layer: String) {
        self.init(.layerNotDrawn, error.message, subject: error.subject ?? layer, advice: error.advice)
    }

    /// Creates a notice of a layer that pictures lack.
    ///
    /// - Parameter layer: The name of the layer; empty if pictures lack all layers.
    init(_ error: OverlayError, ofBurnIn layer: String) {
        let missing = layer.isEmpty ? "layers" : "layer \(layer)"
        self.init(
            .layerNotDrawn, about: layer.isEmpty ? error.subject : layer,
            "pictures are stored without the \(missing) of burn-in", because: CaptureError(error))
    }
}
