// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Hummingbird
import RecordKit
import ServiceKit
import SessionKit
import SystemBase

// Pictures of sessions as sides of records.
extension API {
    func fill(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/records/{kind}/{record}/sides/{side}",
            summary: "Takes the picture of a stage of an accepted run as a side. Without a stage, it is that of the "
                + "kind.",
            parameters: [.recordKind, .record, .side, .ifMatch], body: .json("RecordRunPicture"),
            content: .json("Record"),
            problems: [.notFound, .conflict, .preconditionFailed, .preconditionRequired, .unprocessableContent]
        ) { [service] request in
            let (place, revision) = (try records.place(request), try request.revision)
            guard let side = place.kind.sides.first(where: { $0.name == request.path("side") }) else {
                throw CaptureError.unknown("side", request.path("side"))
            }
            let picture = try RecordRunPicture(request)
            let (run, session) = try await Self.run(picture, service)
            guard let stage = picture.stage ?? side.stage ?? session.file.session.stages.first?.name,
                let value = try await records.picture(ofStage: stage, of: run, session)
            else { throw CaptureError.unknown("picture of the stage", picture.stage ?? side.stage ?? "") }
            let actor = request.caller.actor
            let record = try await refusable {
                try await records.change(from: revision) { store in
                    var content = try store.record(place).content
                    content.sides[side.name] = value
                    return try store.change(place.id, from: revision, to: content, actor: actor)
                }
            }
            return Response.record(record)
        }
    }

    /// Returns an accepted run, and its session.
    private static func run(
        _ picture: RecordRunPicture, _ service: CaptureService
    ) async throws -> (run: SessionArchive.Entry, session: ServiceSession) {
        let sessions = await service.allSessions.filter { picture.session == nil || $0.id == picture.session }
        let found = await BlockingWork.run { () -> (SessionArchive.Entry, ServiceSession)? in
            for session in sessions {
                if let run = try? SessionRuns.run(picture.run, of: session) { return (run, session) }
            }
            return nil
        }
        guard let found else { throw CaptureError.unknown("run", picture.run) }
        guard found.0.record.progress.ending == .accepted else {
            throw Problem(.conflict, "the run is not accepted", advice: "accept its pictures first")
        }
        guard found.0.record.retention == nil else {
            throw Problem(.conflict, "the consent of the run says when its pictures are removed, and records keep them")
        }
        return found
    }
}

/// A picture of a run that becomes a side.
private struct RecordRunPicture {
    let session: String?
    let run: String
    let stage: String?

    /// Reads `{"session": "loyalty-card", "run": "loyalty-card-20261125-101500", "stage": "front"}`. `session` can be left
    /// out, or name the run.
    init(_ request: APIRequest) throws(Problem) {
        let example = #"{"run": "loyalty-card-20261125-101500"}"#
        let texts = try JSONNode.body(request.body, levels: 2, mostValues: 8, example: example) {
            node throws(CaptureError) in
            (try node.optionalText("session"), try node.optionalText("run"), try node.optionalText("stage"))
        }
        guard let run = texts.1 ?? texts.0 else {
            throw Problem(.badRequest, "run: is missing", advice: "send an object such as \(example)")
        }
        (session, self.run, stage) = (texts.1 == nil ? nil : texts.0, run, texts.2)
    }
}

extension Endpoint.Parameter {
    fileprivate static let side = Endpoint.Parameter(
        place: .path, name: "side", summary: "The name of the side.", schema: .id)
}
#endif
