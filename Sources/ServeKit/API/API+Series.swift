// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import ServiceKit

// Series: their state, and requests that change it.
extension API {
    var seriesEndpoints: [Endpoint] {
        [
            list, state, create, remove,
            change("pause", "Pauses a series after its current picture. Slots that pass meanwhile are missed.") {
                [service] id in try await service.pause(id)
            },
            change("resume", "Resumes a series that is paused or stopped, or retries it at once after a fault.") {
                [service] id in try await service.resume(id)
            },
            change("stop", "Stops a series after its current picture, until it is resumed or the service starts again.")
            {
                [service] id in try await service.stop(id)
            },
            change(
                "trigger", "Captures one picture of a running series besides its slots.", problems: [.conflict]
            ) { [service] id in try await Problem.conflict(for: [.usage]) { try await service.trigger(id) } },
        ]
    }

    private var list: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/series", summary: "The state of all series.", content: .json("AllSeries")
        ) { [service] _ in
            Response.json(.object(["series": .array(await service.status.series.map(\.json))]))
        }
    }

    private var state: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/series/{series}", summary: "The state of a series.",
            parameters: [.series], content: .json("Series"), problems: [.notFound]
        ) { [service] request in Response.json(try await Self.series(request.path("series"), service)) }
    }

    private var create: Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/series",
            summary: "Creates a series, and starts it. It continues when the service starts again. The service chooses "
                + "the file names.", isRecorded: true, body: .json("NewSeries"),
            responses: [(.created, .json("Series"))], problems: [.notFound, .conflict]
        ) { [service] request in
            let series = try CreatedSeries(request.body, file: "body")
            try await Problem.conflict(for: [.cannotCreate]) { try await service.create(series) }
            return Response.json(
                try await Self.series(series.id, service), status: .created,
                headers: [.location: "/api/v1/series/\(series.id)"])
        }
    }

    private var remove: Endpoint {
        Endpoint(
            method: .delete, path: "/api/v1/series/{series}",
            summary: "Ends a series that a client created, and forgets it. Its pictures stay on the disk.",
            parameters: [.series], isRecorded: true, status: .noContent, content: .none,
            problems: [.notFound, .conflict], access: .role(.capture)
        ) { [service, metrics] request in
            let id = request.path("series")
            try await Problem.conflict(for: [.usage]) { try await service.remove(series: id) }
            metrics.forget(series: id)
            return Response(status: .noContent)
        }
    }

    /// A request that changes the state of a series. The response has the state now, which an event follows.
    private func change(
        _ name: String, _ summary: String, problems: [HTTPResponse.Status] = [],
        _ change: @escaping @Sendable (String) async throws -> Void
    ) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/series/{series}/\(name)", summary: summary, parameters: [.series],
            isRecorded: true, responses: [(.accepted, .json("Series"))], problems: [.notFound] + problems
        ) { [service] request in
            let id = request.path("series")
            try await change(id)
            return Response.json(try await Self.series(id, service), status: .accepted)
        }
    }

    private static func series(_ id: String, _ service: CaptureService) async throws -> JSONValue {
        guard let series = await service.status.series.first(where: { $0.id == id }) else {
            throw CaptureError.unknown("series", id)
        }
        return series.json
    }
}

extension Problem {
    /// Performs a request whose errors with these codes are conflicts with the present state (409).
    static func conflict<Result>(
        for codes: [CaptureError.Code], _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as CaptureError where codes.contains(error.code) {
            throw Problem(.conflict, error)
        }
    }
}
#endif
