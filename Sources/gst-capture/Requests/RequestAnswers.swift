// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// The answers to the requests of programs: to a session, a preview or a timelapse.
extension JSONValue {
    /// The answer to a request that is carried out.
    static func done(_ name: String, _ id: String?) -> JSONValue {
        .event("ok", ["do": .string(name), "id": id.map(JSONValue.string)])
    }

    /// The answer to a request that is refused.
    ///
    /// - Parameters:
    ///   - reason: The reason for programs.
    ///   - explanation: The reason in words.
    static func refusal(_ name: String, _ id: String?, reason: String, _ explanation: String) -> JSONValue {
        .event(
            "error",
            [
                "do": .string(name), "id": id.map(JSONValue.string), "reason": .string(reason),
                "message": .string(explanation),
            ])
    }

    /// The answer to a line that is not a request.
    static func answer(to error: CaptureError) -> JSONValue {
        .event("error", ["reason": .string("bad-request"), "message": .string(error.message), "error": error.json])
    }
}
