// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import ConnectionKit
import FilmStore
import HTTPTypes
import Hummingbird
import LibraryFeed
import OverlayCompositor
import PrintKit
import ServiceKit

/// The HTTP API of a service.
struct API: Sendable {
    let service: CaptureService
    let requests: PictureRequests
    let thumbnails = Thumbnails()
    let search = DeviceSearch()
    let drawings: Drawings
    let sheets: ContactSheets
    let metrics: ServeMetrics
    /// The library; `nil` if the service has no state folder.
    let library: ServiceLibrary?
    /// The outbox; `nil` if the configuration names none.
    let outbox: ServiceOutbox?
    /// The records; `nil` if the configuration names no kinds.
    let records: RecordDesk?
    /// Makes films that clients order; `nil` if the service has no state folder.
    let films: FilmDesk?
    /// The web page; `nil` if it is not installed.
    let page: PageFiles?
    let shares = SessionShares()
    let prints = PrintDesk()
    /// The address of the service for other machines; `nil` if its configuration has none.
    let base: @Sendable () -> String?
    let viewers = ClientShare(most: mostViewers)
    let bodies = RequestBytes()
    private let listeners: EventListeners

    /// The maximum number of viewers of live pictures.
    static let mostViewers = 32

    init(
        _ service: CaptureService, _ requests: PictureRequests, _ metrics: ServeMetrics, library: ServiceLibrary?,
        outbox: ServiceOutbox?, records: RecordDesk?, films: FilmDesk?, page: PageFiles?, rasterizer: (any Rasterizer)?,
        base: @escaping @Sendable () -> String?
    ) {
        self.base = base
        (self.service, self.requests, self.metrics, self.page) = (service, requests, metrics, page)
        (self.library, self.outbox, self.records, self.films) = (library, outbox, records, films)
        drawings = Drawings(rasterizer, page?.outlines ?? Style())
        sheets = ContactSheets(rasterizer)
        listeners = EventListeners(metrics)
    }

    /// Returns the router of a listener.
    func router(_ access: ListenerAccess) -> Router<ServeContext> {
        let router = Router(context: ServeContext.self)
        let listed =
            endpoints + pageEndpoints(access) + pairingEndpoints(access) + shareEndpoints(access)
            + frameEndpoints(access)
        let routes = Routes(listed + [openAPI(of: listed, access)])
        router.add(middleware: RequestMeter(metrics: metrics, routes: routes))
        router.add(middleware: RequestGate(access, routes))
        let recorded = RecordedRequests(requests)
        for endpoint in routes.endpoints {
            for method in endpoint.methods {
                router.on(RouterPath(endpoint.path), method: method) { request, context in
                    if let role = endpoint.role(for: request.uri.query) { try access.authorize(context, role) }
                    return try await recorded.respond(to: APIRequest(request, context, endpoint, bodies), endpoint)
                }
            }
        }
        return router
    }

    private var endpoints: [Endpoint] {
        statusEndpoints + snapEndpoints + seriesEndpoints + sessionEndpoints + printEndpoints + liveEndpoints
            + recordingEndpoints + clipEndpoints + filmEndpoints + stillEndpoints + sheetEndpoints + libraryEndpoints
            + outboxEndpoints + recordEndpoints + controlEndpoints + deviceEndpoints + drawingEndpoints
            + [eventEndpoint, metricsEndpoint]
    }

    private func openAPI(of endpoints: [Endpoint], _ access: ListenerAccess) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/openapi.json", summary: "This document.", content: .json("Object")
        ) { [service] request in
            let (series, sessions) = (await service.allSeries.map(\.series.id), await service.allSessions.map(\.id))
            let cameras = await service.status.cameras.map(\.id)
            return Response.json(
                OpenAPI.document(
                    of: endpoints, at: request.pathToRoot,
                    cookie: access.cookieName(request.headers, request.authority),
                    examples: ["camera": cameras, "series": series, "session": sessions]))
        }
    }
}

// MARK: - State

extension API {
    private var statusEndpoints: [Endpoint] {
        [
            Endpoint(
                method: .get, path: "/healthz", summary: "Responds while the program can respond to requests.",
                content: .other(["text/plain"]), access: .open
            ) { _ in Response.text("ok\n", type: "text/plain") },
            Endpoint(
                method: .get, path: "/readyz",
                summary: "Responds with 503 and the reasons while a series waits, or its camera delivers no frames.",
                content: .other(["text/plain"]), problems: [.serviceUnavailable]
            ) { [self] _ in
                let status = await status
                guard !status.isReady else { return Response.text("ready\n", type: "text/plain") }
                throw Problem(CaptureError(.temporary, status.reasonsNotReady.joined(separator: "; ")))
            },
            Endpoint(
                method: .get, path: "/api/v1/status",
                summary: "The state of all cameras and series, with faults in words.",
                content: .json("Status")
            ) { [self] _ in Response.json(await status.json) },
            Endpoint(
                method: .get, path: "/api/v1/cameras", summary: "The state of all cameras.", content: .json("Cameras")
            ) { [service] _ in
                Response.json(.object(["cameras": .array(await service.status.cameras.map(\.json))]))
            },
            Endpoint(
                method: .get, path: "/api/v1/cameras/{camera}", summary: "The state of a camera.",
                parameters: [.camera], content: .json("Camera"), problems: [.notFound]
            ) { [service] request in
                let id = request.path("camera")
                guard let camera = await service.status.cameras.first(where: { $0.id == id }) else {
                    throw CaptureError.unknown("camera", id)
                }
                return Response.json(camera.json)
            },
        ]
    }

    /// The state of the service, with the faults of the journal of requests.
    private var status: ServiceStatus {
        get async {
            var status = await service.status
            if let fault = requests.journal.fault {
                status.serviceFaults.append("Idempotency-Key: requests cannot be recorded: \(fault)")
            }
            return status
        }
    }

    private var eventEndpoint: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/events",
            summary: "Server-sent events: first the event snapshot with the state, then all events of all jobs. After "
                + "Last-Event-ID, the events since then, without a snapshot if all of them are kept. outbox, which has no ID, follows at the start and when the "
                + "outbox has changed.",
            parameters: [
                .query("camera", "Only events of these cameras, separated by commas.", schema: .words),
                .query("series", "Only events of these series, separated by commas.", schema: .words),
                .query("session", "Only events of these sessions, separated by commas.", schema: .words),
                .query("kind", "Only these kinds of events, such as captured,missed.", schema: .words),
                Endpoint.Parameter(
                    place: .header, name: "Last-Event-ID", summary: "The ID of the last event that the client has.",
                    schema: .type("string")),
            ], content: .other(["text/event-stream"]), problems: [.serviceUnavailable], senders: .own
        ) { [service, listeners, outbox] request in
            guard !request.isHead else { return .head("text/event-stream") }
            return try EventStream(
                service, outbox?.watch, after: request.headers[.lastEventID],
                EventStream.Filter(
                    cameras: request.words("camera"), series: request.words("series"),
                    sessions: request.words("session"), kinds: request.words("kind"))
            ).response(listeners, request.client, request.channel)
        }
    }
}

extension Endpoint.Parameter {
    /// A text in the query.
    static func query(
        _ name: String, _ summary: String, schema: JSONValue = .type("string"), isRequired: Bool = false
    ) -> Self {
        Self(place: .query, name: name, summary: summary, schema: schema, isRequired: isRequired)
    }

    /// A decimal number in the query.
    static func decimal(_ name: String, _ summary: String, _ range: ClosedRange<Double>, standard: Double) -> Self {
        .query(
            name, summary,
            schema: .object([
                "type": .string("number"), "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound),
                "default": .number(standard),
            ]))
    }

    static let token = query(
        "token", "A token with the role view, for programs that cannot send it as a field.",
        schema: .text("^gst_[0-9a-f]{64}$"))
    static let camera = Endpoint.Parameter(
        place: .path, name: "camera", summary: "The ID of the camera.", schema: .id)
    static let series = Endpoint.Parameter(
        place: .path, name: "series", summary: "The ID of the series.", schema: .id)
}

extension JSONValue {
    /// The schema of a type.
    static func type(_ name: String) -> JSONValue { .object(["type": .string(name)]) }

    /// The schema of a text that matches a regular expression of ECMA-262.
    static func text(_ pattern: String) -> JSONValue {
        .object(["type": .string("string"), "pattern": .string(pattern)])
    }

    /// The schema of an ID.
    static let id = text("^[A-Za-z0-9_-]{1,64}$")
    /// The schema of words that are separated by commas.
    static let words = text("^[A-Za-z0-9_-]{1,64}(,[A-Za-z0-9_-]{1,64}){0,63}$")
    /// The schema of `yes` or `no`.
    static let yesOrNo = object([
        "type": .string("string"), "enum": .array([.string("yes"), .string("no")]),
    ])
    /// The schema of a duration, such as 1h30m or 500ms.
    static let duration = text("^([0-9]+(\\.[0-9]+)?(d|h|m|s|ms|us))+$")
}
#endif
