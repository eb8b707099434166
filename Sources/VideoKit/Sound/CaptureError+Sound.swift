// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import CaptureBase
import PipelineKit

extension CaptureError {
    /// Translates an error of a microphone's pipeline to the user's terms.
    ///
    /// - Parameter microphone: The name of the microphone.
    package init(microphone error: PipelineError, _ microphone: String) {
        let debug = error.debug ?? ""
        func failure(_ code: Code, _ message: String, _ advice: String?) -> CaptureError {
            CaptureError(code, message, subject: microphone, advice: advice)
        }
        if error.isResource(GST_RESOURCE_ERROR_BUSY) || debug.contains("Device or resource busy") {
            self = failure(
                .temporary, "busy: another program uses it", "close the other program, or choose another microphone")
        } else if debug.contains("Permission denied") {
            self = failure(
                .permission, "permission denied", "add the user to the group audio: sudo usermod -aG audio $USER")
        } else if error.isResource(GST_RESOURCE_ERROR_READ) {
            // "Error recording from audio device. The device has been disconnected."
            self = failure(
                .noMicrophone, "was unplugged, or its driver failed", "reconnect it, and see what dmesg says")
        } else if error.isResource(GST_RESOURCE_ERROR_OPEN_READ) || error.isResource(GST_RESOURCE_ERROR_NOT_FOUND) {
            self = failure(.noMicrophone, "there is no such microphone", "see arecord -L")
        } else if [.missingElement, .unknownProperty, .syntax, .propertyType, .link, .notFound].contains(error.code) {
            self = failure(.configuration, error.message, error.advice)
        } else if debug.contains("not-negotiated") || error.message.contains("not-negotiated") {
            self = failure(
                .configuration, "does not offer sound that can be encoded", "choose another microphone")
        } else if error.code == .deadline {
            self = failure(.wedged, "the driver hangs: \(error.message)", "reconnect the microphone")
        } else {
            self = failure(.noMicrophone, error.message, error.advice)
        }
    }
}
