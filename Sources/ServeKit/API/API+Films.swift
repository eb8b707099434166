// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import FilmStore
import Hummingbird
import ServiceKit

// Films that clients order, of series and albums.
extension API {
    var filmEndpoints: [Endpoint] { films.map { [order($0), making($0), cancel($0)] } ?? [] }

    private static let path = "/api/v1/film-order"

    private func order(_ desk: FilmDesk) -> Endpoint {
        Endpoint(
            method: .post, path: Self.path,
            summary: "Makes a film of a series or an album; the events film follow. One film is made at a time.",
            isRecorded: true, body: .json("FilmOrder"), responses: [(.accepted, .json("FilmState"))],
            problems: [.notFound, .conflict]
        ) { request in
            let order = try FilmOrder(request.body)
            try await Problem.conflict(for: [.cannotCreate]) { try await desk.make(order) }
            return Response.json(await Self.json(desk), status: .accepted)
        }
    }

    private func making(_ desk: FilmDesk) -> Endpoint {
        Endpoint(
            method: .get, path: Self.path, summary: "The film that is being made, with its progress.",
            content: .json("FilmState")
        ) { _ in Response.json(await Self.json(desk)) }
    }

    private func cancel(_ desk: FilmDesk) -> Endpoint {
        Endpoint(
            method: .delete, path: Self.path, summary: "Gives up the film that is being made.",
            isRecorded: true, status: .noContent, content: .none, problems: [.notFound], access: .role(.capture)
        ) { _ in
            try await desk.cancel()
            return Response(status: .noContent)
        }
    }

    private static func json(_ desk: FilmDesk) async -> JSONValue {
        guard let making = await desk.making else { return .object(["making": .null]) }
        return .object([
            "making": .object([
                "order": making.order.json, "start": .string(making.start.iso8601),
                "pictures": making.pictureCount.map(JSONValue.integer) ?? .null, "done": .integer(making.doneCount),
            ])
        ])
    }
}
#endif
