// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import PresetKit
import ServiceKit
import SystemBase

// Pictures on request.
extension API {
    var snapEndpoints: [Endpoint] { [snap, callOff, capture] }

    private var snap: Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/cameras/{camera}/snap",
            summary: "Captures now, with the camera's settings. A camera with an output stores the pictures and "
                + "returns their records; otherwise the response is the picture, which is not stored.",
            parameters: [
                .camera,
                Endpoint.Parameter(
                    place: .query, name: "delay", summary: "Wait this long before the first picture, such as 10s.",
                    schema: .duration),
                Endpoint.Parameter(
                    place: .query, name: "burst", summary: "The number of pictures. More than one needs an output.",
                    schema: .integer(1...100, standard: 1)),
                Endpoint.Parameter(
                    place: .query, name: "interval",
                    summary: "The time between the pictures of a burst; without it they are consecutive frames.",
                    schema: .duration),
                .number("live", "1 for a live photo, with the movie of 3 seconds around the picture.", 0...1),
                Endpoint.Parameter(
                    place: .query, name: "at",
                    summary: "The frame from this long before the request, such as -200ms: at most the camera's "
                        + "history. 409 without a history, and if the camera was closed then.",
                    schema: .text("^-[0-9]")),
                Endpoint.Parameter(
                    place: .header, name: "Prefer",
                    summary: "respond-async for a response before the capture, whose Location has the result.",
                    schema: .type("string")),
            ], isRecorded: true,
            responses: [
                (.ok, .other(["image/jpeg", "image/png", "image/webp", "application/octet-stream"])),
                (.created, .json("CapturedStills")), (.accepted, .json("Capture")),
            ], problems: [.notFound, .conflict]
        ) { [service, requests] request in
            let (id, pictures) = (request.path("camera"), try PictureRequest(request))
            let isAsync = request.prefers("respond-async")
            do {
                let isStored = try await service.storesPictures(id)
                guard isStored || !isAsync && pictures.count == 1 else { throw Problem.noOutput(id) }
                if isAsync { return try await Self.begin(pictures, of: id, request, service, requests) }
                return try await Self.whileWaited(for: pictures, by: request) {
                    guard isStored else { return try await Self.picture(pictures, of: id, service) }
                    return Response(
                        Self.response(try await requests.capture(pictures, with: id, name: request.recordName)))
                }
            } catch let error as CaptureError where error == .canceledRequest(id) {
                throw Problem(.conflict, error, reason: "called-off")
            } catch let error as CaptureError where [.keepsNoFrames(id), .hadNoFrame(id)].contains(error) {
                throw Problem(.conflict, error, reason: "no-earlier-frame")
            }
        }
    }

    private var callOff: Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/cameras/{camera}/call-off",
            summary: "Ends the pending requests of a camera: their countdowns, and the rest of their bursts. A request "
                + "without a picture gets 409 with the reason called-off.",
            parameters: [.camera], isRecorded: true, content: .json("CalledOff"), problems: [.notFound]
        ) { [service] request in
            let count = try await service.callOff(request.path("camera"))
            return Response.json(.object(["requests": .integer(count)]))
        }
    }

    private var capture: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/captures/{capture}",
            summary: "The result of a request with respond-async. It is kept for 24 hours.",
            parameters: [
                Endpoint.Parameter(
                    place: .path, name: "capture", summary: "The ID of the request.", schema: .text("^[0-9a-f]{32}$"))
            ], content: .json("Capture"), problems: [.notFound]
        ) { [requests] request in
            let id = request.path("capture")
            guard id.utf8.count == 32, id.utf8.allSatisfy({ $0.isDigit || (0x61...0x66).contains($0) }) else {
                throw CaptureError.unknown("capture", id)
            }
            guard let response = try await requests.response(to: Self.name(ofCapture: id), Self.recovered) else {
                return Response.json(Self.pending(id))
            }
            return Response(response)
        }
    }

    /// Answers a request. One that takes a while is canceled when its client has gone, unless it has a key: then the
    /// repeated request gets the pictures.
    private static func whileWaited(
        for pictures: PictureRequest, by request: APIRequest,
        _ answer: @escaping @Sendable @concurrent () async throws -> Response
    ) async throws -> Response {
        guard request.recordName == nil, pictures.takesLong else { return try await answer() }
        return try await request.untilClientLeaves(answer)
    }

    /// Returns a picture that is not stored.
    private static func picture(
        _ request: PictureRequest, of id: String, _ service: CaptureService
    ) async throws -> Response {
        let still = try await service.snap(id, request)
        guard let bytes = still.bytes else { throw CaptureError(.software, "the picture has no bytes") }
        return Response(
            status: .ok,
            headers: [
                .contentType: await service.snapType(of: id), .captureTime: still.captured.iso8601,
                .captureOffset: JSONValue.milliseconds(still.offset).text,
            ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Begins a capture whose result the client reads later. The journal has its result, also after a restart.
    private static func begin(
        _ pictures: PictureRequest, of id: String, _ request: APIRequest, _ service: CaptureService,
        _ requests: PictureRequests
    ) async throws -> Response {
        let capture = request.captureID
        let name = name(ofCapture: capture)
        // The response promises a result, also after a crash.
        let beginning = try await requests.journal.begin(name, fingerprint: request.fingerprint, isDurable: true)
        if beginning == .new {
            await service.perform {
                let result: RecordedResponse
                do throws(CaptureError) {
                    result = Self.result(capture, try await requests.capture(pictures, with: id, name: name))
                } catch {
                    result = Self.result(capture, error)
                }
                // A result that cannot be written stays in memory.
                try? await requests.journal.finish(name, result)
            }
        }
        return Response.json(
            pending(capture), status: .accepted, headers: [.location: "/api/v1/captures/\(capture)"])
    }

    private static func name(ofCapture id: String) -> String { "capture " + id }

    private static func pending(_ id: String) -> JSONValue {
        .object(["id": .string(id), "state": .string("pending"), "stills": .array([]), "error": .null])
    }

    private static func result(_ id: String, _ stills: [StillRecord]) -> RecordedResponse {
        recorded(
            .object([
                "id": .string(id), "state": .string("captured"), "stills": .array(stills.map(\.json)), "error": .null,
            ]))
    }

    private static func result(_ id: String, _ error: CaptureError) -> RecordedResponse {
        recorded(
            .object(["id": .string(id), "state": .string("failed"), "stills": .array([]), "error": error.json]))
    }

    private static func recorded(_ json: JSONValue) -> RecordedResponse {
        RecordedResponse(
            status: 200, headers: [.init("Content-Type", "application/json")], body: Array((json.text + "\n").utf8))
    }

    /// The response with stored pictures.
    private static func response(_ stills: [StillRecord]) -> RecordedResponse {
        let json = JSONValue.object(["stills": .array(stills.map(\.json))])
        return RecordedResponse(
            status: 201,
            headers: [.init("Content-Type", "application/json")]
                + (stills.first.map { [.init("Location", "/api/v1/stills/\($0.id)")] } ?? []),
            body: Array((json.text + "\n").utf8))
    }

    /// The response to a request that an earlier process left: for a capture with respond-async, its result.
    @Sendable static func recovered(_ name: String, _ stills: [StillRecord]) -> RecordedResponse? {
        guard name.hasPrefix(Self.name(ofCapture: "")) else { return stills.isEmpty ? nil : response(stills) }
        let id = String(name.dropFirst(Self.name(ofCapture: "").count))
        let error = CaptureError(.temporary, "was interrupted by the end of the service", advice: "request it again")
        return stills.isEmpty ? result(id, error) : result(id, stills)
    }
}

extension PictureRequest {
    private static let longestDelay = Duration.seconds(3600)

    /// `true` if a client may give up waiting before the last picture.
    fileprivate var takesLong: Bool { delay + (interval ?? .zero) * (count - 1) >= .seconds(1) }

    fileprivate init(_ request: APIRequest) throws {
        let delay = try request.duration("delay", .zero...Self.longestDelay) ?? .zero
        let count = try request.number("burst", 1...100, standard: 1)
        let interval = try request.duration("interval", .milliseconds(10)...Self.longestDelay)
        if interval != nil, count == 1 {
            throw Problem(.badRequest, "interval: needs a burst", advice: "add burst=3")
        }
        let isLive = try request.number("live", 0...1) == 1
        if isLive, count > 1 {
            throw Problem(.badRequest, "live: a burst has no movies", advice: "leave out burst or live")
        }
        let lead = try request.lead
        if lead > .zero, isLive || count > 1 || delay > .zero {
            throw Problem(
                .badRequest, "at: is for a single picture of the past", advice: "leave out at, or delay, burst and live"
            )
        }
        self.init(delay: delay, count: count, interval: interval, isLive: isLive, lead: lead)
    }
}

extension APIRequest {
    /// Returns the duration of a parameter; `nil` without it.
    ///
    /// - Throws: ``Problem`` if it is no duration, or not in the range.
    func duration(_ name: String, _ range: ClosedRange<Duration>) throws(Problem) -> Duration? {
        guard let text = query(name) else { return nil }
        guard let duration = try? Duration(parsing: text), range.contains(duration) else {
            throw Problem(
                .badRequest, "\(name): \(text.quoted) is not a duration in the range",
                advice: "give \(range.lowerBound.shortText) to \(range.upperBound.shortText)")
        }
        return duration
    }

    /// The time before the request at which the frame was captured; zero without the parameter.
    ///
    /// - Throws: ``Problem`` if it is no time before the request.
    fileprivate var lead: Duration {
        get throws(Problem) {
            guard let text = query("at") else { return .zero }
            do throws(InvalidValue) {
                return try Duration.lead(text)
            } catch {
                throw Problem(.badRequest, "at: \(error.message)", advice: error.advice)
            }
        }
    }

    /// `true` if the client prefers this (RFC 7240).
    func prefers(_ token: String) -> Bool {
        headers[values: .prefer].contains { value in
            value.split(separator: ",").contains { preference in
                preference.split(separator: ";").first?.trimmingSpaces == token[...]
            }
        }
    }

    /// The ID of the capture that the request begins: the same for a repeated request.
    fileprivate var captureID: String {
        if let recordName { return String(SHA256.digits(of: Array("capture of \(recordName)".utf8)).prefix(32)) }
        return String(SHA256.digits(of: (0..<32).map { _ in UInt8.random(in: 0...255) }).prefix(32))
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return start[...last]
    }
}

extension Problem {
    /// The problem of a camera that stores no pictures.
    static func noOutput(_ camera: String) -> Problem {
        Problem(
            .conflict,
            CaptureError(
                .usage, "stores no pictures", subject: camera,
                advice: "give the camera an output in the configuration, such as /srv/\(camera)/%Y-%m-%d/%H%M%S.jpg"))
    }
}

extension JSONValue {
    /// The schema of a whole number.
    static func integer(_ range: ClosedRange<Int>, standard: Int) -> JSONValue {
        .object([
            "type": .string("integer"), "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
            "default": .integer(standard),
        ])
    }
}
#endif
