// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import CaptureBase
import PipelineKit

extension Element {
    /// Posts an error or a warning on the bus (`gst_element_message_full`), in one line with the remedy.
    func post(_ error: CaptureError, isFatal: Bool) {
        let code: GstResourceError =
            switch error.code {
            case .noInput: GST_RESOURCE_ERROR_NOT_FOUND
            case .permission: GST_RESOURCE_ERROR_OPEN_READ
            case .software: GST_RESOURCE_ERROR_FAILED
            default: GST_RESOURCE_ERROR_SETTINGS
            }
        gst_element_message_full(
            pointer.assumingMemoryBound(to: GstElement.self), isFatal ? GST_MESSAGE_ERROR : GST_MESSAGE_WARNING,
            gst_resource_error_quark(), gint(code.rawValue), g_strdup(error.description), nil, "OutlineFilter.swift",
            "post", 0)
    }
}
