// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase

extension JSONNode {
    /// Reads the JSON body of a request.
    ///
    /// - Parameters:
    ///   - levels: How deep values can be nested.
    ///   - mostValues: The maximum number of values.
    ///   - example: A body that a client can send, for the advice.
    /// - Throws: The problem of the request if the body is no such JSON, or `read` throws.
    static func body<Value>(
        _ bytes: [UInt8], levels: Int, mostValues: Int, example: String,
        _ read: (JSONNode) throws(CaptureError) -> Value
    ) throws(Problem) -> Value {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Problem(.badRequest, "the body is not UTF-8", advice: "send an object such as \(example)")
        }
        do throws(CaptureError) {
            return try read(try JSONNode(text, path: "body", levels: levels, mostValues: mostValues))
        } catch {
            throw Problem(.badRequest, error.summary, advice: "send an object such as \(example)")
        }
    }
}
#endif
