// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import LayerKit

extension CaptureSettings {
    /// Returns errors for outlines and files that do not exist. Errors of syntax are not among them.
    func layerErrors(_ outlines: OutlineLibrary) -> [CaptureError] {
        var finder = LayerFinder(outlines)
        _ = finder.burnIn(burnIn ?? [], overlay: finder.overlay(overlay ?? []))
        return finder.errors
    }
}
