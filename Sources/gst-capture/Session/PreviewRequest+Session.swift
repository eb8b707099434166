// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

extension PreviewRequest {
    /// What settings say of the preview of a session. Where nobody says where it is shown, it is a window where there is a
    /// display, and somebody to look at it.
    init(_ settings: CaptureSettings, isAutomatic: Bool) {
        self.init()
        (width, height) = (settings.previewWidth, settings.previewHeight)
        frameRate = settings.previewFramerate
        isMirrored = settings.mirror ?? false
        sink = settings.previewSink ?? (isAutomatic || !PreviewSink.hasDisplay ? .none : .automatic)
    }
}
