// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PresetKit

extension PreviewRequest {
    /// Creates the request for a session's preview from its settings.
    ///
    /// If the settings name no sink, the preview is a window; without a display, or if the session is automatic, it is
    /// not shown.
    init(_ settings: CaptureSettings, isAutomatic: Bool) {
        self.init()
        (width, height) = (settings.previewWidth, settings.previewHeight)
        frameRate = settings.previewFramerate
        isMirrored = settings.mirror ?? false
        sink = settings.previewSink ?? (isAutomatic || !PreviewSink.hasDisplay ? .none : .automatic)
    }
}
