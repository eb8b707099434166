// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird

/// An error as `application/problem+json` (RFC 9457), with the code of the command.
struct Problem: Error {
    let status: HTTPResponse.Status
    let error: CaptureError
    var headers: HTTPFields = [:]
    /// The reason of a refusal, for programs; `nil` for other problems.
    let reason: String?
    /// Further members of the response.
    var members: [JSONValue.Member] = []
    /// `false` if the log has no line for the request, so that clients cannot fill it.
    var isLogged = true

    init(
        _ status: HTTPResponse.Status, _ error: CaptureError, headers: HTTPFields = [:], reason: String? = nil
    ) {
        (self.status, self.error, self.headers, self.reason) = (status, error, headers, reason)
    }

    init(_ status: HTTPResponse.Status, _ message: String, advice: String? = nil) {
        self.init(status, CaptureError(.usage, message, advice: advice))
    }

    /// The problem of an error of a capture.
    init(_ error: CaptureError) {
        let status: HTTPResponse.Status =
            switch error.code {
            case .usage: .badRequest
            case .noInput: .notFound
            case .noCamera, .temporary: .serviceUnavailable
            case .limit: .tooManyRequests
            case .permission: .forbidden
            case .inputOutput, .cannotCreate: error.isFullDisk ? .insufficientStorage : .internalServerError
            default: .internalServerError
            }
        self.init(
            status, error, headers: [.serviceUnavailable, .tooManyRequests].contains(status) ? [.retryAfter: "1"] : [:])
    }

    /// The problem of a list for which the library is missing.
    static var noLibrary: Problem {
        Problem(.serviceUnavailable, "the library cannot be opened", advice: "the log says why")
    }

    var response: Response {
        let known: [(String, JSONValue?)] = [
            ("type", .string("about:blank")), ("title", .string(status.reasonPhrase)),
            ("status", .integer(status.code)), ("code", .string(error.code.description)),
            ("detail", .string(error.summary)), ("advice", error.advice.map(JSONValue.string)),
            ("reason", reason.map(JSONValue.string)),
        ]
        let body = JSONValue.object(present: known + members.map { ($0.name, $0.value) })
        var response = Response.json(body, status: status, type: "application/problem+json")
        for field in headers { response.headers.append(field) }
        return response
    }
}

extension HTTPResponse.Status {
    /// The disk is full (RFC 4918, 11.5).
    static let insufficientStorage = Self(code: 507, reasonPhrase: "Insufficient Storage")
}

extension Response {
    /// Creates a response of JSON.
    static func json(
        _ value: JSONValue, status: HTTPResponse.Status = .ok, type: String = "application/json",
        headers: HTTPFields = [:]
    ) -> Response {
        var response = Response.text(value.text + "\n", status: status, type: type)
        for field in headers { response.headers.append(field) }
        return response
    }

    /// Creates the response to HEAD for a content whose length is not known.
    static func head(_ type: String) -> Response {
        Response(status: .ok, headers: [.contentType: type], body: ResponseBody(contentLength: nil) { _ in })
    }

    /// Creates a response of text.
    static func text(_ text: String, status: HTTPResponse.Status = .ok, type: String) -> Response {
        Response(
            status: status, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
#endif
