// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import ServiceKit
import SessionKit

// Guided sessions: their descriptions, the session that is running, and the pictures of all runs.
extension API {
    var sessionEndpoints: [Endpoint] {
        [allSessions, oneSession, start] + inputs + [retake, runs, run, picture]
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
            ], isRecorded: true, status: .created, content: .json("Session"),
            problems: [.notFound, .conflict, .serviceUnavailable]
        ) { [service] request in
            let id = request.path("session")
            let state = try await Self.refusable {
                try await service.startSession(id, resuming: request.query("run"))
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

    /// A request of a session that is running. The response has the state after it.
    private func request(
        _ name: String, _ summary: String, parameters: [Endpoint.Parameter] = [],
        _ action: @escaping @Sendable (APIRequest) throws -> SessionRequest.Action
    ) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/sessions/{session}/\(name)", summary: summary,
            parameters: [.session] + parameters, isRecorded: true, content: .json("Session"),
            problems: [.notFound, .conflict]
        ) { [service] request in
            let id = request.path("session")
            let action = try action(request)
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
    private static let pictureNumber = JSONValue.object(["type": .string("integer"), "minimum": .integer(1)])

    private var runs: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/sessions/{session}/runs",
            summary: "The runs of a session from new to old, at most \(SessionRuns.mostListed).",
            parameters: [.session], content: .json("Runs"), problems: [.notFound]
        ) { [service] request in
            let session = try await service.session(request.path("session")).session
            let runs = await BlockingWork.run { SessionRuns.list(of: session) }
            return Response.json(.object(["runs": .array(runs.map(\.json))]))
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
            summary: "The bytes of a picture: its crop, if it has one.",
            parameters: [
                .session, .run,
                Endpoint.Parameter(
                    place: .path, name: "picture", summary: "The number of the picture.", schema: Self.pictureNumber),
                Endpoint.Parameter(
                    place: .query, name: "whole", summary: "The whole picture in place of its crop.",
                    schema: .object([
                        "type": .string("string"), "enum": .array([.string("yes"), .string("no")]),
                        "default": .string("no"),
                    ])),
            ], content: .other(["image/jpeg", "image/png"]), problems: [.notFound]
        ) { [service] request in
            let session = try await service.session(request.path("session")).session
            let (run, text) = (request.path("run"), request.path("picture"))
            guard text.utf8.count <= 9, let number = Int(text), number > 0 else {
                throw CaptureError.unknown("picture", text)
            }
            let isWhole = try Self.isWhole(request)
            let (type, file) = try await BlockingWork.run { () throws(CaptureError) in
                let run = try SessionRuns.run(run, of: session)
                let picture = try SessionRuns.picture(number, whole: isWhole, of: run)
                return (picture.mediaType, try PictureFile(picture.path, id: text))
            }
            return file.response([.contentType: type])
        }
    }

    private static func isWhole(_ request: APIRequest) throws(Problem) -> Bool {
        switch request.query("whole") {
        case "yes": true
        case "no", nil: false
        case .some(let text): throw Problem(.badRequest, "whole: \(text.quoted) is not known", advice: "give yes or no")
        }
    }
}

extension Problem {
    /// The problem of a request that a session refuses in its present phase.
    fileprivate init(_ refusal: SessionRefusal) {
        self.init(.conflict, CaptureError(.temporary, refusal.explanation), reason: refusal.reason)
    }
}

extension Endpoint.Parameter {
    fileprivate static let session = Endpoint.Parameter(
        place: .path, name: "session", summary: "The ID of the session.", schema: .id)
    fileprivate static let run = Endpoint.Parameter(
        place: .path, name: "run", summary: "The ID of the run, such as avatar-20261125-101500.",
        schema: .type("string"))
}
#endif
