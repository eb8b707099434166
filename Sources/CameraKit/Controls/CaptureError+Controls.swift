// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

extension CaptureError {
    /// Returns the error for a control that a driver refused.
    static func control(_ code: Int32, _ message: String, _ path: String) -> CaptureError {
        switch code {
        case EBUSY:
            CaptureError(
                .temporary, "\(message): it is in use", subject: path, advice: "try again once streaming stops")
        case EACCES:
            CaptureError(
                .usage, "\(message) now", subject: path, advice: "turn off the automatic control that overrides it")
        case ERANGE, EINVAL:
            CaptureError(.usage, "\(message): the camera does not accept this value", subject: path)
        case EPERM:
            CaptureError(.permission, message, subject: path, advice: "get permission to control this camera")
        case ENODEV, ENXIO: querying(path, code)
        default: CaptureError(.inputOutput, "\(message): \(systemMessage(code))", subject: path)
        }
    }
}
