// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import RecordKit
import ServiceKit

// Records: named things with fields, and pictures of their sides. Fields can be personal, so all requests need the role
// `capture`. A service whose configuration names no kinds has none.
extension API {
    var recordEndpoints: [Endpoint] {
        guard let records else { return [] }
        return [
            kinds(records), list(records), create(records), check(records), record(records), change(records),
            trash(records), restore(records), versions(records), fill(records),
        ] + recordTableEndpoints(records) + recordSyncEndpoints(records) + recordBlobEndpoints(records)
    }

    private func kinds(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/records",
            summary:
                "The kinds of records with their fields and sides, in the language of the request, and the numbers of "
                + "their records.",
            parameters: [.acceptLanguage], content: .json("RecordKinds"), access: .role(.capture)
        ) { request in
            let counts = try await records.perform { try $0.counts() }
            let kinds = records.kinds.map { kind in
                kind.translated(toFirstOf: request.languages).response(count: counts[kind.id] ?? 0)
            }
            return Response.json(.object(["kinds": .array(kinds)]))
        }
    }

    private func list(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/records/{kind}", summary: "Records, the one that changed last first.",
            parameters: [
                .recordKind, .query("q", "Words that all occur in the values of a record, also in personal ones."),
                .before,
                Endpoint.Parameter(
                    place: .query, name: "limit", summary: "The maximum number of records.",
                    schema: .integer(1...500, standard: 60)),
                Endpoint.Parameter(
                    place: .query, name: "trash", summary: "1 for the records in the trash.",
                    schema: .integer(0...1, standard: 0)),
            ], content: .json("Records"), problems: [.notFound], access: .role(.capture)
        ) { request in
            var query = RecordQuery(kind: try records.kind(request).id)
            query.words = request.query("q") ?? ""
            query.mayReadPersonal = true
            query.isTrashed = try request.number("trash", 0...1, standard: 0) == 1
            query.limit = try request.number("limit", 1...500, standard: 60)
            query.before = try request.position { Int64($0) }
            let page = try await records.perform { [query] in try $0.page(query) }
            return Response.json(
                .object([
                    "records": .array(page.records.map(\.json)), "next": .optional(page.next.map(String.init)),
                    "total": .integer(page.total),
                ]))
        }
    }

    private func create(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/records/{kind}",
            summary: "Creates a record, which is durable with the response. One that is not valid is refused with all "
                + "faults.",
            parameters: [.recordKind], isRecorded: true, isPersonal: true, body: .document("RecordContent"),
            status: .created,
            content: .json("Record"), problems: [.notFound, .unprocessableContent]
        ) { request in
            let (kind, content) = (try records.kind(request).id, try RecordContent(request))
            let actor = request.caller.actor
            let record = try await refusable {
                try await records.change(from: nil) { try $0.create(kind, content, actor: actor) }
            }
            var response = Response.record(record, status: .created)
            response.headers[.location] = "/api/v1/records/\(kind)/\(record.id)"
            return response
        }
    }

    private func check(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/records/{kind}/check",
            summary: "The faults of a content, which is not stored.",
            parameters: [
                .recordKind,
                .query("id", "The record that would get the content; none for a new one.", schema: .recordID),
            ], body: .document("RecordContent"), content: .json("RecordFaults"), problems: [.notFound]
        ) { request in
            let (kind, content) = (try records.kind(request), try RecordContent(request))
            let id = try request.query("id").map { text throws(CaptureError) in try RecordID(known: text) }
            let faults = try await records.perform { try $0.faults(content, of: kind, for: id) }
            return Response.json(.object(["faults": .array(faults.map(\.json))]))
        }
    }

    private func record(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/records/{kind}/{record}",
            summary: "A record, also one in the trash. The ETag is its revision.",
            parameters: [.recordKind, .record], content: .json("Record"), problems: [.notFound], access: .role(.capture)
        ) { request in
            let place = try records.place(request)
            return try await refusable {
                try await records.perform { store in
                    Response.record(try store.record(place), sync: try store.condition(of: place.id))
                }
            }
        }
    }

    private func change(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .put, path: "/api/v1/records/{kind}/{record}",
            summary:
                "Gives a record another content. Fields and sides that are left out are removed. If it was changed "
                + "meanwhile, the response is 412 with the present record.",
            parameters: [.recordKind, .record, .ifMatch], body: .document("RecordContent"), content: .json("Record"),
            problems: [.notFound, .preconditionFailed, .preconditionRequired, .unprocessableContent],
            access: .role(.capture)
        ) { request in
            let (place, revision) = (try records.place(request), try request.revision)
            let (content, actor) = (try RecordContent(request), request.caller.actor)
            let record = try await refusable {
                try await records.change(from: revision) { store in
                    _ = try store.record(place)
                    return try store.change(place.id, from: revision, to: content, actor: actor)
                }
            }
            return Response.record(record)
        }
    }

    private func trash(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .delete, path: "/api/v1/records/{kind}/{record}",
            summary: "Moves a record into the trash for 30 days.",
            parameters: [.recordKind, .record, .ifMatch], content: .json("Record"),
            problems: [.notFound, .preconditionFailed, .preconditionRequired], access: .role(.capture)
        ) { request in
            let (place, revision) = (try records.place(request), try request.revision)
            let actor = request.caller.actor
            let record = try await refusable {
                try await records.change(from: revision) { store in
                    _ = try store.record(place)
                    return try store.trash(place.id, from: revision, actor: actor)
                }
            }
            return Response.record(record)
        }
    }

    private func restore(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/records/{kind}/{record}/restore",
            summary:
                "Moves a record out of the trash, or gives it the content of an earlier version. With If-Match, only "
                + "a record that was not changed meanwhile.",
            parameters: [.recordKind, .record, .ifMatch], body: .optionalJSON("RecordRestore"),
            content: .json("Record"),
            problems: [.notFound, .preconditionFailed, .unprocessableContent]
        ) { request in
            let (place, version) = (try records.place(request), try request.version)
            let known = try request.optionalRevision
            let actor = request.caller.actor
            let record = try await refusable {
                // The revision before is not known here: a record that stays as it is has no new one.
                let present = try await records.perform { try $0.record(place).revision }
                return try await records.change(from: known ?? present) { store in
                    try store.restore(
                        place.id, version: version, from: try known ?? store.record(place).revision, actor: actor)
                }
            }
            return Response.record(record)
        }
    }

    private func versions(_ records: RecordDesk) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/records/{kind}/{record}/versions",
            summary: "The versions of a record that are kept, the newest first.", parameters: [.recordKind, .record],
            content: .json("RecordVersions"), problems: [.notFound], access: .role(.capture)
        ) { request in
            let place = try records.place(request)
            let versions = try await refusable {
                try await records.perform { store in
                    _ = try store.record(place)
                    return try store.versions(place.id)
                }
            }
            return Response.json(.object(["versions": .array(versions.map(\.json))]))
        }
    }

    /// Turns the refusal of a store into a problem.
    func refusable<Result>(_ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch let refusal as RecordRefusal { throw Problem(refusal) }
    }
}

extension RecordKind {
    /// Returns the kind in the first language that it has. Its own texts are English.
    fileprivate func translated(toFirstOf tags: [String]) -> RecordKind {
        for tag in tags {
            if tag == "en" || tag.hasPrefix("en-") { return self }
            let translated = translated(to: tag)
            if translated != self { return translated }
        }
        return self
    }

    /// The kind for clients.
    fileprivate func response(count: Int) -> JSONValue {
        guard case .object(let members) = json else { return json }
        return .object(members + [JSONValue.Member(name: "count", value: .integer(count))])
    }
}
#endif
