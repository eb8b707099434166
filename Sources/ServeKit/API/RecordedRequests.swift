// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import Logging
import ServiceKit
import Synchronization

/// Answers a repeated request with the response to the first one, by its `Idempotency-Key`.
struct RecordedRequests: Sendable {
    private let requests: PictureRequests
    private let logger = Logger(label: "gst-capture.requests")

    /// The maximum length of a key, in bytes.
    private static let mostKeyBytes = 255

    init(_ requests: PictureRequests) { self.requests = requests }

    /// Returns the response to a request: that of the journal, or that of the endpoint, which is then recorded.
    ///
    /// - Throws: ``Problem`` 409 while the same request is being answered, 422 if another request had the key; and
    ///   the errors of the endpoint, after which the key can be used again.
    func respond(to request: APIRequest, _ endpoint: Endpoint) async throws -> Response {
        guard let name = request.recordName else { return try await endpoint.handle(request) }
        var beginning = try await requests.journal.begin(name, fingerprint: request.fingerprint)
        if beginning == .interrupted {
            if let response = try await requests.resume(name, API.recovered) { return Response(response) }
            beginning = try await requests.journal.begin(name, fingerprint: request.fingerprint)
        }
        switch beginning {
        case .new: break
        case .known(let response): return Response(response)
        case .running, .interrupted:
            throw Problem(
                .conflict,
                CaptureError(
                    .temporary, "the same request is being answered", subject: "Idempotency-Key",
                    advice: "repeat it later"), headers: [.retryAfter: "1"])
        case .different:
            throw Problem(
                .unprocessableContent,
                CaptureError(
                    .usage, "belongs to another request", subject: "Idempotency-Key", advice: "give each its own"))
        }
        do {
            let (response, recorded) = try await endpoint.handle(request).recorded()
            // A picture that is not stored must not be found in the state folder either.
            let isPicture = recorded.headers.contains {
                $0.name.lowercased() == "content-type" && !$0.value.hasPrefix("application/json")
            }
            await finish(name, recorded, isBrief: endpoint.isPersonal || isPicture)
            return response
        } catch {
            await requests.journal.release(name)
            throw error
        }
    }

    /// Records a response. If that fails, the client gets it all the same: its pictures are durable.
    private func finish(_ name: String, _ response: RecordedResponse, isBrief: Bool) async {
        do throws(CaptureError) {
            try await requests.journal.finish(name, response, isBrief: isBrief)
        } catch {
            logger.error("response not recorded: \(error)")
        }
    }

    /// Returns the key of a request; `nil` without one.
    ///
    /// - Throws: ``Problem`` if there are several, or if it is empty, too long or not of printable ASCII.
    static func key(_ headers: HTTPFields) throws(Problem) -> String? {
        let keys = headers[values: .idempotencyKey]
        guard let key = keys.first else { return nil }
        let isPlain = key.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard keys.count == 1, isPlain, (1...mostKeyBytes).contains(key.utf8.count) else {
            throw Problem(
                .badRequest, "Idempotency-Key: is not one word of up to \(mostKeyBytes) characters",
                advice: "give a random one, such as a UUID")
        }
        return key
    }
}

extension Response {
    /// Creates the response of the journal.
    init(_ recorded: RecordedResponse) {
        var headers = HTTPFields()
        for header in recorded.headers {
            if let name = HTTPField.Name(header.name) { headers.append(HTTPField(name: name, value: header.value)) }
        }
        self.init(
            status: HTTPResponse.Status(code: recorded.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: recorded.body)))
    }

    /// Returns the same response, and its record.
    fileprivate func recorded() async throws -> (Response, RecordedResponse) {
        let collector = BodyCollector()
        try await body.write(collector)
        let recorded = RecordedResponse(
            status: status.code, headers: headers.map { RecordedResponse.Header($0.name.rawName, $0.value) },
            body: collector.bytes)
        return (Response(recorded), recorded)
    }
}

/// Collects the bytes of a body.
private final class BodyCollector: ResponseBodyWriter, Sendable {
    private let buffer = Mutex(ByteBuffer())

    var bytes: [UInt8] { buffer.withLock { Array($0.readableBytesView) } }

    func write(_ more: ByteBuffer) async throws { buffer.withLock { _ = $0.writeImmutableBuffer(more) } }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension HTTPField.Name {
    static let idempotencyKey = recordedName("Idempotency-Key")
    static let prefer = recordedName("Prefer")

    private static func recordedName(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("not the name of a field") }
        return name
    }
}

extension Endpoint.Parameter {
    static let idempotencyKey = Endpoint.Parameter(
        place: .header, name: "Idempotency-Key",
        summary: "Up to 255 characters that name the request. A repeated request gets the response to the first one, "
            + "for 24 hours.", schema: .text("^[!-~]{1,255}$"))
}
#endif
