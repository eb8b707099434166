// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import PipelineKit

extension PipelineError {
    /// True where somebody closed the window: all window sinks say it in this way.
    fileprivate var isClosedWindow: Bool { isResource(GST_RESOURCE_ERROR_NOT_FOUND) && message.contains("closed") }
}

extension CaptureError {
    /// Why the preview ended; `nil` where somebody closed its window.
    static func ofPreview(_ error: PipelineError) -> CaptureError? {
        error.isClosedWindow ? nil : CaptureError(preview: error)
    }

    /// Says in the user's terms what an element of the preview reported, or that it is missing.
    init(preview error: PipelineError) {
        let isMissing = error.code == .missingElement
        let hasNoDisplay = error.debug?.contains("open display") ?? false
        self.init(
            isMissing ? .configuration : .noDisplay, hasNoDisplay ? "the display cannot be opened" : error.message,
            subject: "preview",
            advice: error.advice ?? "check DISPLAY or WAYLAND_DISPLAY, or choose another --sink, such as x11 or kms")
    }
}
