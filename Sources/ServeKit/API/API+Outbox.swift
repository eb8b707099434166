// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Hummingbird
import LibraryFeed
import UploadKit

// The targets of the outbox, and the pictures that do not arrive.
extension API {
    var outboxEndpoints: [Endpoint] {
        guard let outbox else { return [] }
        return [targets(outbox), jobs(outbox)] + (library.map { [uploads($0, outbox)] } ?? [])
            + [
                (OutboxRequest.Verb.retry, "Tries a target now, in place of the end of its pause."),
                (.pause, "Sends nothing to a target until it is resumed."), (.resume, "Sends to a target again."),
            ].map { targetRequest(outbox, $0, $1) }
            + [
                jobRequest(outbox, .retry, "Sends a dead picture again."),
                jobRequest(outbox, .drop, "Gives a picture up. Its file stays."),
            ]
    }

    private func targets(_ outbox: ServiceOutbox) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/outbox",
            summary: "The targets to which pictures are sent, with the pictures that wait.",
            content: .json("OutboxTargets")
        ) { _ in
            let reports = try await outbox.reports()
            let faults = reports.flatMap(\.backlog.errors).map { JSONValue.string("\($0)") }
            return Response.json(.object(["targets": .array(reports.map(\.json)), "faults": .array(faults)]))
        }
    }

    private func jobs(_ outbox: ServiceOutbox) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/outbox/targets/{target}/jobs",
            summary: "The dead pictures of a target, or those that wait next, oldest first.",
            parameters: [.target, .jobState, .jobLimit], content: .json("OutboxJobs"), problems: [.notFound]
        ) { request in
            let isDead = try request.query("state").map { word in
                guard word == "dead" || word == "waiting" else {
                    throw Problem(.badRequest, "state: is neither dead nor waiting")
                }
                return word == "dead"
            }
            let limit = try request.number("limit", 1...1000, standard: 60)
            let found = try await outbox.jobs(of: request.path("target"), isDead: isDead ?? true, most: limit)
            guard let jobs = found else { throw Problem(.notFound, "there is no such target") }
            return Response.json(.object(["jobs": .array(jobs.map(\.response))]))
        }
    }

    private func uploads(_ library: ServiceLibrary, _ outbox: ServiceOutbox) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/library/items/{item}/uploads",
            summary: "The state of a picture at each target of the outbox to which it goes.", parameters: [.item],
            content: .json("LibraryUploads"), problems: [.notFound]
        ) { request in
            let item = try await library.item(request.path("item"))
            let states = try await outbox.uploads(of: item, in: library)
            return Response.json(.object(["uploads": .array(states.map(\.json))]))
        }
    }

    private func targetRequest(_ outbox: ServiceOutbox, _ verb: OutboxRequest.Verb, _ summary: String) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/outbox/targets/{target}/\(verb.rawValue)", summary: summary,
            parameters: [.target], status: .noContent, content: .none, problems: [.notFound]
        ) { request in
            guard try await outbox.add(OutboxRequest(verb, target: request.path("target"))) else {
                throw Problem(.notFound, "there is no such target")
            }
            return Response(status: .noContent)
        }
    }

    private func jobRequest(_ outbox: ServiceOutbox, _ verb: OutboxRequest.Verb, _ summary: String) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/outbox/targets/{target}/jobs/{job}/\(verb.rawValue)", summary: summary,
            parameters: [.target, .job], status: .noContent, content: .none, problems: [.notFound]
        ) { request in
            let target = request.path("target")
            guard let job = Int64(request.path("job")),
                try await outbox.add(OutboxRequest(verb, target: target, job: job))
            else { throw Problem(.notFound, "there is no such picture in the outbox") }
            return Response(status: .noContent)
        }
    }
}

extension UploadJob {
    /// The job for clients, who see no paths.
    fileprivate var response: JSONValue {
        // An erasure has only a name.
        let isSending = kind == .send
        return .object([
            "job": .integer(Int(id)), "kind": .string(kind.rawValue), "state": .string(state.rawValue),
            "taken": isSending ? .string(picture.taken.iso8601) : .null,
            "file": .string(DeviceFiles.name(of: isSending ? picture.path : name).withoutControls),
            "name": .string(name), "bytes": isSending ? .integer(picture.byteCount) : .null,
            "failures": .integer(failures), "reason": .optional(reason),
        ])
    }
}

extension Endpoint.Parameter {
    fileprivate static let target = Endpoint.Parameter(
        place: .path, name: "target", summary: "The ID of the target.", schema: .text("^[A-Za-z0-9_-]{1,32}$"))
    fileprivate static let job = Endpoint.Parameter(
        place: .path, name: "job", summary: "The number of the picture in the outbox.", schema: .text("^[0-9]{1,18}$"))
    fileprivate static let jobState = query("state", "dead or waiting; dead without it.")
    fileprivate static let jobLimit = Endpoint.Parameter(
        place: .query, name: "limit", summary: "The maximum number of pictures.",
        schema: .integer(1...1000, standard: 60))
}
#endif
