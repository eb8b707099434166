// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

extension CaptureError {
    /// Returns the system's message for an error number (`strerror(3)`), with a lowercase first letter.
    package static func systemMessage(_ code: Int32) -> String {
        let text = String(cString: strerror(code))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
