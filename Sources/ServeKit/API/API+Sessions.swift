// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CropKit
import HTTPTypes
import Hummingbird
import LibraryFeed
import LibraryKit
import ServiceKit
import SessionKit

// Guided sessions: their descriptions, the session that is running, and the pictures of all runs.
extension API {
    var sessionEndpoints: [Endpoint] {
        [allSessions, oneSession, start] + inputs + [retake, fill, upload, runs, run, picture, result]
    }

    private var allSessions: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/sessions", summary: "All sessions, with the state of those that are running.",
            content: .json("Sessions")
        ) { [service] _ in
            var sessions: [JSONValue] = []
            for session in await service.allSessions {
                sessions.append(session.json(try? await service.session(session.id).state))
            }
            return Response.json(.object(["sessions": .array(sessions)]))
        }
    }

    private var oneSession: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/sessions/{session}",
            summary: "A session with its stages, and its state if it is running.", parameters: [.session],
            content: .json("Session"), problems: [.notFound]
        ) { [service] request in
            let (session, state) = try await service.session(request.path("session"))
            return Response.json(session.json(state))
        }
    }

    private var start: Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/sessions/{session}/start",
            summary: "Starts a session, or resumes a run that was left. The response has the state before its cameras "
                + "are open; events follow.",
            parameters: [
                .session,
                .query("run", "The ID of the run to resume."),
                .query(
                    "kiosk", "yes for strangers: without requests the run always ends by itself.", schema: .yesOrNo),
                .query("camera", "no to open no camera: all pictures are brought in.", schema: .yesOrNo),
            ], isRecorded: true, isPersonal: true, status: .created, content: .json("Session"),
            problems: [.notFound, .conflict, .serviceUnavailable], access: .role(.kiosk)
        ) { [service] request in
            let (id, run) = (request.path("session"), request.query("run"))
            let (isKiosk, usesCamera) = (try request.flag("kiosk"), try request.flag("camera", standard: true))
            let state = try await Self.refusable {
                try await service.startSession(id, resuming: run, forKiosk: isKiosk, usingCamera: usesCamera)
            }
            return Response.json(try await service.session(id).session.json(state), status: .created)
        }
    }

    /// The inputs of a session without values.
    private static let actions: [(name: String, action: SessionRequest.Action, summary: String)] = [
        ("capture", .capture, "Continues: begins, turns the page, counts down, or begins the next stage."),
        ("skip", .skip, "Skips the tutorial, or the stage if it is skippable."),
        ("abort", .abort, "Aborts the stage. The session then does what its file says."),
        ("cancel", .cancel, "Cancels the session, and removes its pictures unless it keeps them."),
        ("switch-camera", .switchCamera, "Changes to the other camera."),
        ("accept", .accept, "Accepts the pictures in the review, which ends the session."),
        ("discard", .discard, "Discards the pictures in the review, which ends the session."),
        ("leave", .leave, "Leaves the session as it is. It can be resumed."),
    ]

    private var inputs: [Endpoint] {
        Self.actions.map { entry in
            request(entry.name, entry.summary) { _ in entry.action }
        }
    }

    private var retake: Endpoint {
        request(
            "retake", "Retakes a stage, or a single picture.",
            parameters: [
                .query("stage", "The name of the stage."),
                Endpoint.Parameter(
                    place: .query, name: "picture", summary: "The number of the picture.", schema: Self.pictureNumber),
            ]
        ) { request in
            let picture = try request.query("picture").map { _ in
                try request.number("picture", 1...999_999_999, standard: 1)
            }
            guard request.query("stage") != nil || picture != nil else {
                throw Problem(
                    .badRequest, "retake needs a stage or a picture", advice: "give ?stage=NAME or ?picture=1")
            }
            return .retake(stage: request.query("stage"), picture: picture)
        }
    }

    private var fill: Endpoint {
        request(
            "fill", "Fills in fields of the session. Fields that are missing keep their values.",
            body: .json("Fields")
        ) { request in
            let example = #"{"name": "Ada"}"#
            return .fill(
                try JSONNode.body(request.body, levels: 2, mostValues: 256, example: example) {
                    node throws(CaptureError) in try node.values()
                })
        }
    }

    /// The range of a move, in sizes of the outline.
    private static let moves = -100.0...100.0

    private var upload: Endpoint {
        request(
            "upload",
            "Brings in a picture in place of capturing one. It is moved, zoomed and turned under the outline, then "
                + "cropped as a captured one.",
            parameters: [
                .decimal("move_x", "The move to the right, in widths of the outline.", Self.moves, standard: 0),
                .decimal("move_y", "The move downward, in heights of the outline.", Self.moves, standard: 0),
                .decimal("zoom", "The zoom around the center of the outline.", CropAdjustment.zooms, standard: 1),
                .decimal("turn", "The turn clockwise, in degrees.", -360...360, standard: 0),
                .location,
            ], body: .picture
        ) { request in
            let adjustment = CropAdjustment(
                moveX: try request.decimal("move_x", Self.moves, standard: 0),
                moveY: try request.decimal("move_y", Self.moves, standard: 0),
                zoom: try request.decimal("zoom", CropAdjustment.zooms, standard: 1),
                turn: try request.decimal("turn", -360...360, standard: 0))
            let removesLocation = try Self.removesLocation(request)
            do throws(CaptureError) {
                // Reports a file that is no sound picture before the session waits for it.
                try await LibraryPicture.check(request.body)
                let body = request.body
                let picture = removesLocation ? try await LibraryPicture.withoutLocation(body) : body
                return .upload(picture, adjustment)
            } catch {
                throw error.code == .temporary ? Problem(error) : Problem(.unprocessableContent, error)
            }
        }
    }

    static func removesLocation(_ request: APIRequest) throws(Problem) -> Bool {
        switch request.query("location") {
        case "remove": true
        case "keep", nil: false
        case .some(let text):
            throw Problem(.badRequest, "location: \(text.quoted) is unknown", advice: "give keep or remove")
        }
    }

    /// A request of a session that is running. The response has the state after it.
    private func request(
        _ name: String, _ summary: String, parameters: [Endpoint.Parameter] = [], body: RequestBody? = nil,
        _ action: @escaping @Sendable (APIRequest) async throws -> SessionRequest.Action
    ) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/sessions/{session}/\(name)", summary: summary,
            parameters: [.session] + parameters, isRecorded: true, isPersonal: true, body: body,
            content: .json("Session"),
            problems: [.notFound, .conflict], access: .role(.kiosk)
        ) { [service] request in
            let id = request.path("session")
            let action = try await action(request)
            let state = try await Self.refusable { try await service.request(action, of: id) }
            return Response.json(try await service.session(id).session.json(state))
        }
    }

    /// Turns the refusal of a session into a problem.
    private static func refusable<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let refusal as SessionRefusal {
            throw Problem(refusal)
        }
    }
}

// MARK: - Runs

extension API {
    /// The media types of the pictures and clips of a session.
    static let sessionTypes = ["image/jpeg", "image/png", "video/mp4"]

    /// The schema of the number of a picture.
    static let pictureNumber = JSONValue.object(["type": .string("integer"), "minimum": .integer(1)])

    private var runs: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/sessions/{session}/runs",
            summary: "The runs of a session, newest first.", parameters: [.session, .before, .runLimit],
            content: .json("Runs"), problems: [.notFound, .serviceUnavailable]
        ) { [service, library] request in
            let session = try await service.session(request.path("session")).session
            let position = try request.position { RunPosition($0) }
            let limit = try request.number("limit", 1...SessionRuns.mostListed, standard: 60)
            guard let library else { throw Problem.noLibrary }
            let page = try await library.runs(of: session, from: position, limit: limit, after: service.lastEvent)
            return Response.json(
                .object([
                    "runs": .array(page.runs.map(\.json)), "next": .optional(page.next?.description),
                    "faults": .array(page.faults.map(JSONValue.string)),
                ]))
        }
    }

    private var run: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/sessions/{session}/runs/{run}", summary: "A run with its pictures.",
            parameters: [.session, .run], content: .json("Run"), problems: [.notFound]
        ) { [service] request in
            let session = try await service.session(request.path("session")).session
            let run = request.path("run")
            return Response.json(
                try await BlockingWork.run { () throws(CaptureError) in try SessionRuns.run(run, of: session) }.json)
        }
    }

    private var picture: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/sessions/{session}/runs/{run}/pictures/{picture}",
            summary: "The bytes of a picture: its crop, if it has one. A clip is an MP4 file.",
            parameters: [
                .session, .run,
                Endpoint.Parameter(
                    place: .path, name: "picture", summary: "The number of the picture.", schema: Self.pictureNumber),
                .query("whole", "The whole picture in place of its crop.", schema: .yesOrNo), .poster, .view, .range,
            ], responses: ServedFile.responses(Self.sessionTypes),
            problems: [.notFound, .rangeNotSatisfiable]
        ) { [service] request in
            let session = try await service.session(request.path("session")).session
            return try await Self.picture(
                request, of: request.path("run"), in: session, whole: try request.flag("whole"))
        }
    }

    private var result: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/sessions/{session}/runs/{run}/results/{result}",
            summary: "The bytes of a photo strip or a contact sheet.", parameters: [.session, .run, .result, .range],
            responses: ServedFile.responses(["image/jpeg"]), problems: [.notFound, .rangeNotSatisfiable]
        ) { [service] request in
            let session = try await service.session(request.path("session")).session
            return try await Self.result(request, of: request.path("run"), in: session)
        }
    }

    /// Returns the bytes of the file that `request` names, which was made of the pictures of a run.
    static func result(_ request: APIRequest, of run: String, in session: ServiceSession) async throws -> Response {
        let kind = request.path("result")
        let file = try await BlockingWork.run { () throws(CaptureError) in
            let run = try SessionRuns.run(run, of: session)
            return try ServedFile(SessionRuns.result(kind, of: run), id: kind)
        }
        return try file.response(to: request, [.contentType: "image/jpeg"])
    }

    /// Returns the bytes of the picture that `request` names.
    static func picture(
        _ request: APIRequest, of run: String, in session: ServiceSession, whole isWhole: Bool = false
    ) async throws -> Response {
        let (text, view, isPoster) = (request.path("picture"), request.query("view"), try request.flag("poster"))
        guard text.utf8.count <= 9, let number = Int(text), number > 0 else {
            throw CaptureError.unknown("picture", text)
        }
        let (type, file) = try await BlockingWork.run { () throws(CaptureError) in
            let run = try SessionRuns.run(run, of: session)
            let picture = try SessionRuns.picture(number, whole: isWhole, poster: isPoster, view: view, of: run)
            return (picture.mediaType, try ServedFile(picture, id: text))
        }
        return try file.response(to: request, [.contentType: type])
    }
}

extension Problem {
    /// The problem of a request that a session refuses in its present phase.
    fileprivate init(_ refusal: SessionRefusal) {
        self.init(.conflict, CaptureError(.temporary, refusal.explanation), reason: refusal.reason)
    }
}

extension Endpoint.Parameter {
    fileprivate static let runLimit = Endpoint.Parameter(
        place: .query, name: "limit", summary: "The maximum number of runs.",
        schema: .integer(1...SessionRuns.mostListed, standard: 60))
    static let location = query(
        "location",
        "remove for a picture without the place where it was taken, which the tags of phones state. Otherwise the picture "
            + "keeps its tags, also for those with whom it is shared.",
        schema: .object(["type": .string("string"), "enum": .array([.string("keep"), .string("remove")])]))
    static let poster = query("poster", "The first picture of a clip in place of the clip.", schema: .yesOrNo)
    static let view = query(
        "view", "The same moment, as the further camera of this role saw it.", schema: .type("string"))

    static let session = Endpoint.Parameter(
        place: .path, name: "session", summary: "The ID of the session.", schema: .id)
    static let result = Endpoint.Parameter(
        place: .path, name: "result", summary: "The kind of the file.",
        schema: .object([
            "type": .string("string"), "enum": .array(SessionResult.allCases.map { .string($0.rawValue) }),
        ]))
    static let run = Endpoint.Parameter(
        place: .path, name: "run", summary: "The ID of the run, such as avatar-20261125-101500.",
        schema: .type("string"))
}
#endif
