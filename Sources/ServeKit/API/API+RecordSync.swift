// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import RecordKit
import ServiceKit

// Records and their backend. The sender of the outbox keeps them the same; the service shows how far, and persons answer
// and choose here.
extension API {
    func recordSyncEndpoints(_ records: RecordDesk) -> [Endpoint] {
        [syncState(records), answer(records), conflicts(records), resolve(records)]
    }

    private func syncState(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/records/{kind}/sync",
            summary: "How far the records of a kind and the backend are the same, and the records in conflict.",
            parameters: [.recordKind], content: .json("RecordSync"), problems: [.notFound], access: .role(.capture)
        ) { request in
            let kind = try records.kind(request).id
            return try await records.perform { try Response.sync(of: kind, $0) }
        }
    }

    private func answer(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/records/{kind}/sync",
            summary:
                "Answers the question about a backend that lost records: push sends the records of this machine again, "
                + "accept moves them into the trash here, too.",
            parameters: [.recordKind], body: .document("RecordAnswer"), content: .json("RecordSync"),
            problems: [.notFound, .conflict]
        ) { request in
            let kind = try records.kind(request).id
            let answer: SyncAnswer = try JSONNode.body(
                request.body, levels: 2, mostValues: 8, example: #"{"answer": "push"}"#
            ) { node throws(CaptureError) in try node.word("answer") }
            return try await records.perform { store in
                guard try store.answer(answer, kind) else { throw Problem(.conflict, "there is no question") }
                return try Response.sync(of: kind, store)
            }
        }
    }

    private func conflicts(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/records/{kind}/{record}/conflicts",
            summary: "The parts of a record that were changed here and on another device.",
            parameters: [.recordKind, .record], content: .json("RecordConflicts"), problems: [.notFound],
            access: .role(.capture)
        ) { request in
            let place = try records.place(request)
            let found = try await refusable {
                try await records.perform { store in
                    _ = try store.record(place)
                    return try store.conflicts(of: place.id)
                }
            }
            return Response.json(.object(["conflicts": .array(found.map { $0.json(place.id) })]))
        }
    }

    private func resolve(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/records/{kind}/{record}/conflicts",
            summary: "Chooses between the change of this machine and that of another device, for one part.",
            parameters: [.recordKind, .record, .ifMatch], body: .document("RecordChoice"), content: .json("Record"),
            problems: [.notFound, .preconditionFailed, .preconditionRequired]
        ) { request in
            let (place, revision) = (try records.place(request), try request.revision)
            let actor = request.caller.actor
            let (part, choice): (RecordPart?, RecordChoice) = try JSONNode.body(
                request.body, levels: 2, mostValues: 8, example: #"{"part": "field:name", "choice": "theirs"}"#
            ) { node throws(CaptureError) in
                let part = try node.optionalText("part").map { text throws(CaptureError) in
                    guard let part = RecordPart(text) else { throw node.wrong("\(text.quoted) is not a part") }
                    return part
                }
                return (part, try node.word("choice"))
            }
            let record = try await refusable {
                try await records.change(from: revision) { store in
                    _ = try store.record(place)
                    return try store.resolve(place.id, part, choice, from: revision, actor: actor)
                }
            }
            return Response.record(record)
        }
    }
}

extension Response {
    /// The most records in conflict that a response names.
    private static let mostConflicts = 100

    fileprivate static func sync(of kind: String, _ store: RecordStore) throws(CaptureError) -> Response {
        guard case .object(let members) = try store.syncState(of: kind).json else { return .json(.null) }
        let ids = try store.conflicted(kind, most: mostConflicts).map { JSONValue.string($0.description) }
        return .json(.object(members + [JSONValue.Member(name: "conflicted", value: .array(ids))]))
    }
}
#endif
