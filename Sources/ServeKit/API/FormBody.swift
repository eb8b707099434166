// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase

/// The JSON object of a form: values by the names of their fields.
enum FormBody {
    /// Parses the object.
    ///
    /// - Throws: `CaptureError` if it is no JSON object of single values.
    static func values(_ bytes: [UInt8]) throws(CaptureError) -> [String: String] {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CaptureError(.usage, "the body is not UTF-8")
        }
        return try JSONNode(text, path: "body", levels: 2, mostValues: 256).values()
    }
}
#endif
