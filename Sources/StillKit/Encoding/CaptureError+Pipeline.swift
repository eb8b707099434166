// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import CaptureBase
import Glibc
import PipelineKit

extension CaptureError {
    /// Describes in the user's terms what GStreamer reported.
    ///
    /// - Parameter subject: The camera or file that the pipeline handled.
    package init(_ error: PipelineError, subject: String? = nil) {
        let cause = Cause(error)
        self.init(
            cause.code, cause.message ?? error.message, subject: subject ?? error.element,
            advice: cause.advice ?? error.advice)
    }

    /// A kind of failure, with a remedy if the user can do something about it.
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
            } else if error.isReadFailure {
                // Before the system's own words, which are "No such device" for some of these failures.
                self.init(.noCamera, "was unplugged, or its driver failed", "check its cable, and what dmesg says")
            } else if debug.contains("No such file or directory") || debug.contains("No such device") {
                self.init(.noCamera, "there is no such camera", "see gst-capture cameras")
            } else if error.code == .missingElement || error.code == .unknownProperty || error.code == .syntax
                || error.code == .propertyType || error.code == .link
            {
                self.init(.configuration, nil, nil)
            } else if error.message.contains("not-negotiated") || debug.contains("not-negotiated") {
                self.init(.configuration, "does not offer the requested format", "see gst-capture cameras")
            } else if error.isSilence {
                self.init(
                    .noCamera, "does not answer: its driver cannot set the format",
                    "reconnect it; if that does not help, see what dmesg says")
            } else if error.isStartFailure {
                self.init(.noCamera, "its driver does not start streaming", "reconnect it, and see what dmesg says")
            } else if error.code == .deadline {
                self.init(
                    .wedged, "the driver hangs: \(error.message)",
                    "restart gst-capture; if that does not help, reconnect the camera")
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

extension PipelineError {
    private var isOfCamera: Bool { element?.hasPrefix("v4l2src") == true }

    /// "Could not read from resource": a camera disappeared in the middle of a stream, or an error followed from that.
    fileprivate var isReadFailure: Bool { isOfCamera && isResource(GST_RESOURCE_ERROR_READ) }

    /// "Device '…' failed during initialization": the driver knows the format, but the camera failed to accept it
    /// (`EIO`, `ETIMEDOUT`). For a format that the camera does not have (`EINVAL`), the error has another number.
    fileprivate var isSilence: Bool {
        guard isOfCamera, isResource(GST_RESOURCE_ERROR_FAILED), let debug else { return false }
        return debug.contains("_FMT failed for")
    }

    /// "Failed to allocate required memory", for any reason that the driver had to refuse.
    fileprivate var isStartFailure: Bool { isOfCamera && debug?.contains("pool activation failed") == true }
}
