// Part of gst-capture. Apache License 2.0, see LICENSE.

import CRaster
import OverlayCompositor

extension OverlayError {
    /// Creates an error from our message and the library's; frees `failure`.
    init(_ code: Code, _ what: String, consuming failure: UnsafeMutablePointer<GError>?) {
        guard let failure else {
            self.init(code, what)
            return
        }
        defer { g_error_free(failure) }
        let said = String(cString: failure.pointee.message).split(whereSeparator: \.isNewline).joined(separator: " ")
        self.init(code, "\(what): \(said)")
    }
}
