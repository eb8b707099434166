// Part of gst-capture. Apache License 2.0, see LICENSE.

import CRaster
import OverlayCompositor

extension OverlayError {
    /// Creates an error from a message of this library and the message of a GError, and frees the GError.
    init(_ code: Code, _ message: String, consuming failure: UnsafeMutablePointer<GError>?) {
        guard let failure else {
            self.init(code, message)
            return
        }
        defer { g_error_free(failure) }
        let reason = String(cString: failure.pointee.message).split(whereSeparator: \.isNewline).joined(separator: " ")
        self.init(code, "\(message): \(reason)")
    }
}
