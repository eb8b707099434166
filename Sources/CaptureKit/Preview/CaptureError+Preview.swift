// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import CaptureBase
import PipelineKit

extension PipelineError {
    /// `true` if the user closed the window. All window sinks report this error.
    fileprivate var isClosedWindow: Bool { isResource(GST_RESOURCE_ERROR_NOT_FOUND) && message.contains("closed") }
}

extension CaptureError {
    /// Returns why the preview ended; `nil` if the user closed its window.
    static func ofPreview(_ error: PipelineError) -> CaptureError? {
        error.isClosedWindow ? nil : CaptureError(preview: error)
    }

    /// Describes, for the user, an error of one of the preview's elements, or a missing element.
    init(preview error: PipelineError) {
        let isMissing = error.code == .missingElement
        // GTK gives no reason.
        let isGTK = error.element == PreviewSink.gtkName && error.code == .stateChange
        let hasNoDisplay = isGTK || error.debug?.contains("open display") ?? false
        self.init(
            isMissing ? .configuration : .noDisplay, hasNoDisplay ? "the display cannot be opened" : error.message,
            subject: "preview",
            advice: error.advice ?? "check DISPLAY or WAYLAND_DISPLAY, or choose another --sink, such as x11 or kms")
    }
}
