// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import CaptureBase
import Glibc
import PipelineKit

extension CaptureError {
    /// Translates an error of a source to the user's terms. An unknown error has the code `.noCamera` and GStreamer's
    /// message.
    ///
    /// - Parameter subject: The camera or file that the pipeline handled; `nil` for the element at fault.
    package init(_ error: PipelineError, subject: String? = nil) {
        let cause = Cause(error)
        self.init(
            cause.code, cause.message ?? error.message, subject: subject ?? error.element,
            advice: cause.advice ?? error.advice)
    }

    /// Translates an error of the elements that decode and encode pictures. The camera is not at fault: restarting or
    /// reconnecting it is no remedy.
    init(encoding error: PipelineError) {
        let cause = Cause(encoding: error)
        self.init(
            cause.code, cause.message ?? error.message, subject: "encoder", advice: cause.advice ?? error.advice)
    }

    /// A kind of failure, with a remedy if there is one.
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
                // Comes before the system's messages: some of these failures also have "No such device".
                self.init(.noCamera, "was unplugged, or its driver failed", "check its cable, and what dmesg says")
            } else if debug.contains("No such file or directory") || debug.contains("No such device") {
                self.init(.noCamera, "there is no such camera", "see gst-capture cameras")
            } else if error.isOfDescription {
                self.init(.configuration, nil, nil)
            } else if error.isOfNegotiation {
                self.init(.configuration, "does not offer the requested format", "see gst-capture cameras")
            } else if error.isSilence {
                self.init(
                    .noCamera, "does not answer: its driver cannot set the format",
                    "reconnect it; if that does not help, see what dmesg says")
            } else if error.isStartFailure {
                self.init(.noCamera, "its driver does not start streaming", "reconnect it, and see what dmesg says")
            } else if error.isBrokenStream {
                // The flow return is all that GStreamer tells, such as "error (-5)".
                self.init(
                    .noCamera, "the stream broke off" + (error.flowReturn.map { ": \($0)" } ?? ""),
                    "check the camera and its connection; the variable GST_DEBUG=3 shows more")
            } else if error.code == .deadline {
                self.init(
                    .wedged, "the driver hangs: \(error.message)",
                    "restart gst-capture; if that does not help, reconnect the camera")
            } else {
                self.init(.noCamera, nil, nil)
            }
        }

        init(encoding error: PipelineError) {
            if error.isOfDescription {
                self.init(.configuration, nil, nil)
            } else if error.isOfNegotiation {
                self.init(
                    .configuration, "does not accept frames of this format",
                    "request another format with --format, or use -e raw")
            } else if error.code == .deadline {
                self.init(.temporary, "does not start: \(error.message)", "try again when the machine is less busy")
            } else {
                self.init(
                    .inputOutput, nil, "try the next frame; if that fails too, request another format with --format")
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
    /// `true` if an element is missing, or the description does not fit its elements.
    fileprivate var isOfDescription: Bool {
        [.missingElement, .unknownProperty, .syntax, .propertyType, .link].contains(code)
    }

    fileprivate var isOfNegotiation: Bool {
        message.contains("not-negotiated") || debug?.contains("not-negotiated") == true
    }

    /// `true` if an element stopped, and says only that: "Internal data stream error."
    fileprivate var isBrokenStream: Bool { message.hasPrefix("Internal data stream error") }

    /// The reason that the element's details name, such as `error (-5)`.
    fileprivate var flowReturn: String? {
        let parts = (debug ?? "").split(separator: "streaming stopped, reason ", maxSplits: 1)
        return parts.count == 2 ? parts[1].split(whereSeparator: \.isNewline).first.map(String.init) : nil
    }

    private var isOfCamera: Bool { element?.hasPrefix("v4l2src") == true }

    /// `true` if a camera was disconnected while it streamed: "Could not read from resource". If that happens between
    /// `poll` and `VIDIOC_DQBUF`, v4l2src reports a failed allocation instead.
    fileprivate var isReadFailure: Bool {
        guard isOfCamera else { return false }
        return isResource(GST_RESOURCE_ERROR_READ)
            || isResource(GST_RESOURCE_ERROR_NO_SPACE_LEFT) && message.hasPrefix("Failed to allocate a buffer")
    }

    /// `true` if the driver knows the format, but the camera failed to accept it (`EIO`, `ETIMEDOUT`): "Device '…'
    /// failed during initialization". For a format that the camera does not have (`EINVAL`), the error has another
    /// number.
    fileprivate var isSilence: Bool {
        guard isOfCamera, isResource(GST_RESOURCE_ERROR_FAILED), let debug else { return false }
        return debug.contains("_FMT failed for")
    }

    /// `true` if the driver refuses to start the stream. GStreamer's message for any reason is "Failed to allocate
    /// required memory".
    fileprivate var isStartFailure: Bool { isOfCamera && debug?.contains("pool activation failed") == true }
}
