// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import ConnectionKit
import HTTPTypes
import Hummingbird
import ServiceKit

/// Live pictures, at the paths of this API and at those of mjpg-streamer and ustreamer.
extension API {
    var liveEndpoints: [Endpoint] {
        [
            live("/api/v1/cameras/{camera}/stream", .stream), live("/api/v1/cameras/{camera}/snapshot", .snapshot),
            live("/cameras/{camera}/stream", .stream), live("/cameras/{camera}/snapshot", .snapshot),
            live("/cameras/{camera}", nil),
            // The first camera, as ustreamer and mjpg-streamer name it.
            live("/stream", .stream), live("/snapshot", .snapshot), root,
        ] + videoEndpoints
    }

    /// The web page; with `action`, live pictures as mjpg-streamer serves them.
    private var root: Endpoint {
        let pictures = live("/", nil)
        return Endpoint(
            method: .get, path: "/", summary: "The web page; with action, live pictures of the first camera.",
            parameters: [.action] + Endpoint.Parameter.live, ignoresUnknown: true,
            content: .other(["text/html"] + LiveAction.allCases.map(\.type)), problems: pictures.problems,
            access: .openWithout("action", .view), senders: .neighbors, isPicture: true
        ) { [page] request in
            guard request.query("action") == nil else { return try await pictures.handle(request) }
            return try Self.response(page, to: request)
        }
    }

    /// - Parameter action: The response; `nil` if the parameter `action` names it.
    private func live(_ path: String, _ action: LiveAction?) -> Endpoint {
        let hasCamera = path.contains("{camera}")
        return Endpoint(
            method: .get, path: path, summary: Self.summary(action) + (hasCamera ? "" : " It is the first camera's."),
            parameters: (hasCamera ? [.camera] : []) + (action == nil ? [.action] : []) + Endpoint.Parameter.live,
            ignoresUnknown: !path.hasPrefix("/api/"),
            content: .other(action.map { [$0.type] } ?? LiveAction.allCases.map(\.type)),
            problems: [.notFound, .tooManyRequests, .serviceUnavailable], senders: .neighbors, isPicture: true
        ) { [self] request in
            let action = try action ?? LiveAction(request)
            let picture = try StreamRequest(request)
            try await Drawings.check(picture.layers)
            let cameras = await service.status.cameras.map(\.id)
            let camera = hasCamera ? request.path("camera") : cameras.first ?? ""
            if request.isHead, cameras.contains(camera) { return .head(action.type) }
            let place = try place(for: request, action.use)
            switch action {
            case .stream:
                let viewer = try await service.view(camera, picture)
                let frames = try await keptFrames(of: camera, request)
                return LiveResponse(place, request.channel, keeping: frames).pictures(viewer)
            case .snapshot:
                defer { withExtendedLifetime(place) {} }
                return try await Self.snapshot(service.view(camera, picture))
            }
        }
    }

    private static func snapshot(_ viewer: StreamViewer) async throws -> Response {
        guard let picture = await viewer.next() else {
            throw CaptureError(.temporary, "the live pictures have ended", advice: "try again later")
        }
        if let fault = picture.fault { throw Problem(.serviceUnavailable, fault, headers: [.retryAfter: "1"]) }
        return Response(
            status: .ok,
            headers: [
                .contentType: LiveAction.snapshot.type, .timestamp: picture.timestamp,
                .captureTime: picture.time.iso8601, .crossOriginResourcePolicy: LiveResponse.resourcePolicy,
            ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: picture.bytes)))
    }

    /// Has the frames for live photos kept while the client watches, if it wants that.
    func keptFrames(of camera: String, _ request: APIRequest) async throws -> MotionViewer? {
        guard try request.number("live", 0...1) == 1 else { return nil }
        return try await service.keepFrames(camera)
    }

    /// Returns a place for a viewer.
    ///
    /// - Throws: `CaptureError` `.limit` if there is none.
    func place(
        for request: APIRequest, _ use: FairShare.Use = .lasting
    ) throws(CaptureError) -> ClientShare.Place {
        guard let place = viewers.add(request.client, request.channel, use) else {
            throw CaptureError(
                .limit, "\(Self.mostViewers) viewers already watch", subject: "live pictures",
                advice: "close one, or try again later")
        }
        return place
    }

    private static func summary(_ action: LiveAction?) -> String {
        switch action {
        case .stream: "Live pictures as multipart JPEG. A slow client misses pictures."
        case .snapshot: "The newest live picture; it is not a capture."
        case nil: "Live pictures or the newest one, as mjpg-streamer serves them."
        }
    }
}

/// The response to a client of live pictures.
enum LiveAction: String, CaseIterable, Sendable {
    case stream, snapshot

    /// The action of a parameter.
    ///
    /// - Throws: ``Problem`` if there is none.
    init(_ request: APIRequest) throws(Problem) {
        guard let text = request.query("action") else {
            throw Problem(
                .notFound,
                CaptureError(.noInput, "there is no such path", advice: "add ?action=stream or ?action=snapshot"))
        }
        guard let action = LiveAction(rawValue: text) else {
            throw Problem(.badRequest, "action: \(text.quoted) is unknown", advice: "give stream or snapshot")
        }
        self = action
    }

    /// The media type.
    var type: String {
        switch self {
        // The boundary of mjpg-streamer and ustreamer, which some clients expect.
        case .stream: "multipart/x-mixed-replace;boundary=\(LiveResponse.boundary)"
        case .snapshot: "image/jpeg"
        }
    }

    /// The use that a viewer makes of its place.
    fileprivate var use: FairShare.Use { self == .stream ? .lasting : .firm }
}

extension StreamRequest {
    /// The request of the parameters.
    ///
    /// - Throws: ``Problem`` if a value is out of range.
    init(_ request: APIRequest) throws(Problem) {
        self.init()
        width = try request.number("width", Self.lengths)
        height = try request.number("height", Self.lengths)
        rate = try request.number("fps", Self.rates)
        quality = try request.number("quality", Self.qualities)
        isMirrored = try request.number("mirror", 0...1) == 1
        layers = try Self.layers(request)
    }

    private static let mostLayers = 4

    static func layers(_ request: APIRequest) throws(Problem) -> Layers {
        guard let text = request.query("layers"), text != "0" else { return .none }
        guard text != "1" else { return .camera }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= mostLayers, Set(names).count == names.count, names.allSatisfy(Drawings.isName) else {
            throw Problem(
                .badRequest, "layers: \(text.quoted) is out of range",
                advice: "give 1 for the camera's layers, or up to \(mostLayers) names of /api/v1/outlines")
        }
        return .outlines(names)
    }
}

extension Endpoint.Parameter {
    fileprivate static let action = Endpoint.Parameter(
        place: .query, name: "action", summary: "The response.",
        schema: .object(["type": .string("string"), "enum": .array(LiveAction.allCases.map { .string($0.rawValue) })]))

    fileprivate static let live =
        sizes + [
            number(
                "quality", "JPEG quality. Without it, a JPEG of the camera stays as it is.", StreamRequest.qualities),
            number("mirror", "1 to mirror the pictures.", 0...1), layers, keepsFrames,
        ]

    static let keepsFrames = number(
        "live", "1 to have the frames kept from which a live photo begins: snap with live=1 then does not wait.", 0...1)

    /// The size and the rate of live pictures and video.
    static let sizes = [
        number("width", "The width in pixels; without height, the proportions stay.", StreamRequest.lengths),
        number("height", "The height in pixels; without width, the proportions stay.", StreamRequest.lengths),
        number("fps", "The maximum number of pictures per second.", StreamRequest.rates),
    ]

    static let layers = Endpoint.Parameter(
        place: .query, name: "layers",
        summary: "1 to draw the camera's layers of overlay, or the names of outlines, from bottom to top.",
        schema: .text("^[A-Za-z0-9_.-]{1,64}(,[A-Za-z0-9_.-]{1,64}){0,3}$"))

    static func number(_ name: String, _ summary: String, _ range: ClosedRange<Int>) -> Endpoint.Parameter {
        Endpoint.Parameter(
            place: .query, name: name, summary: summary,
            schema: .object([
                "type": .string("integer"), "minimum": .integer(range.lowerBound),
                "maximum": .integer(range.upperBound),
            ]))
    }
}

extension APIRequest {
    /// Returns the whole number of a parameter; `nil` without it.
    ///
    /// - Throws: ``Problem`` if it is not in the range.
    func number(_ name: String, _ range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard query(name) != nil else { return nil }
        return try number(name, range, standard: range.lowerBound)
    }
}
#endif
