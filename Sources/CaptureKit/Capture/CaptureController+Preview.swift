// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import OverlayCompositor

/// The preview and its layers.
extension CaptureController {
    func watchPreview() {
        if let preview {
            watches.append(Task { for await event in preview.events { handle(preview: event) } })
        }
        guard let overlay else { return }
        overlay.set(values.texts)
        show(configuration.overlay)
        watches.append(Task { for await event in overlay.events { handle(overlay: event) } })
    }

    func handle(preview event: PreviewScreen.Event) {
        switch event {
        case .size(let size): emit(.previewing(width: size.width, height: size.height))
        case .key(let key): emit(.key(key))
        case .press: break
        case .ended(let error): emit(.previewEnded(error))
        }
    }

    /// Reports each error of a layer once, however often drawing is retried.
    func handle(overlay event: OverlayEvent) {
        switch event {
        case .drawn: emit(.drawn)
        case .failed(let layer, let error):
            let notice = Notice(error, ofLayer: layer)
            if failedLayers.insert(notice).inserted { emit(.notice(notice)) }
        }
    }
}
