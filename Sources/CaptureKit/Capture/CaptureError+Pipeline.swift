// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import PipelineKit

extension CaptureError {
    /// Says in the user's terms what GStreamer reported.
    ///
    /// - Parameter subject: The camera or file that the pipeline was about.
    init(_ error: PipelineError, subject: String? = nil) {
        let cause = Cause(error)
        self.init(
            cause.code, cause.message ?? error.message, subject: subject ?? error.element,
            advice: cause.advice ?? error.advice)
    }

    /// Kinds of failure that the user can do something about.
    private struct Cause {
        var code: Code
        var message: String?
        var advice: String?

        init(_ error: PipelineError) {
            let debug = error.debug ?? ""
            if debug.contains("Permission denied") {
                self.init(
                    .permission, "permission denied", "add the user to the group video: sudo usermod -aG video $USER")
            } else if error.isResource(GST_RESOURCE_ERROR_BUSY) || debug.contains("Device or resource busy") {
                self.init(
                    .temporary, "busy: another program uses it", "close the other program, or choose another camera")
            } else if debug.contains("No such file or directory") || debug.contains("No such device") {
                self.init(.noCamera, "there is no such camera", "see gst-capture cameras")
            } else if error.code == .missingElement || error.code == .unknownProperty || error.code == .syntax
                || error.code == .propertyType || error.code == .link
            {
                self.init(.configuration, nil, nil)
            } else if error.message.contains("not-negotiated") || debug.contains("not-negotiated") {
                self.init(.configuration, "does not offer the format that was asked for", "see gst-capture cameras")
            } else if error.code == .deadline {
                self.init(.wedged, nil, nil)
            } else {
                self.init(.noCamera, nil, nil)
            }
        }

        private init(_ code: Code, _ message: String?, _ advice: String?) {
            self.code = code
            self.message = message
            self.advice = advice
        }
    }
}
