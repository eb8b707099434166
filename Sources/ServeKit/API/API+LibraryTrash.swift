// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Hummingbird
import LibraryFeed
import LibraryKit
import ServiceKit

// The trash of the library.
extension API {
    func trashEndpoints(_ library: ServiceLibrary) -> [Endpoint] {
        [delete(library), restore(library), trash(library), empty(library), erase(library)]
    }

    private func delete(_ library: ServiceLibrary) -> Endpoint {
        Endpoint(
            method: .delete, path: "/api/v1/library/items/{item}",
            summary: "Moves a picture with its tags into the trash for 30 days.", parameters: [.item],
            status: .noContent, content: .none, problems: [.notFound, .conflict], access: .role(.capture)
        ) { request in
            try await Self.refusing { () throws(CaptureError) in try await library.delete(request.path("item")) }
            return Response(status: .noContent)
        }
    }

    private func restore(_ library: ServiceLibrary) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/library/items/{item}/restore",
            summary: "Moves a picture from the trash back to its place, and returns it.", parameters: [.item],
            content: .json("LibraryItem"), problems: [.notFound, .conflict]
        ) { request in
            let item = try await Self.refusing { () throws(CaptureError) in
                try await library.restore(request.path("item"))
            }
            return Response.json(item.response)
        }
    }

    private func trash(_ library: ServiceLibrary) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/library/trash", summary: "The deleted pictures, the last deleted first.",
            parameters: [.before, .pageLimit], content: .json("LibraryTrash")
        ) { request in
            let limit = try request.number("limit", 1...LibraryIndex.mostItems, standard: 60)
            let position = try request.position { TrashPosition($0) }
            let (page, size) = try await library.read { index throws(CaptureError) in
                (try index.trash(from: position, limit: limit), try index.trashSize())
            }
            return Response.json(
                .object([
                    "items": .array(page.entries.map(\.response)), "next": .optional(page.next?.description),
                    "count": .integer(size.count), "bytes": .integer(size.byteCount),
                ]))
        }
    }

    private func empty(_ library: ServiceLibrary) -> Endpoint {
        Endpoint(
            method: .delete, path: "/api/v1/library/trash", summary: "Erases all pictures of the trash for good.",
            content: .json("LibraryErased"), access: .role(.capture)
        ) { _ in Response.json(.object(["count": .integer(try await library.emptyTrash())])) }
    }

    private func erase(_ library: ServiceLibrary) -> Endpoint {
        Endpoint(
            method: .delete, path: "/api/v1/library/trash/{item}", summary: "Erases a picture of the trash for good.",
            parameters: [.item], status: .noContent, content: .none, problems: [.notFound, .conflict],
            access: .role(.capture)
        ) { request in
            try await Self.refusing { () throws(CaptureError) in try await library.erase(request.path("item")) }
            return Response(status: .noContent)
        }
    }

    /// Calls `body`, and responds to a request that does not fit the state of its picture with 409.
    static func refusing<Result>(_ body: () async throws(CaptureError) -> Result) async throws -> Result {
        do throws(CaptureError) {
            return try await body()
        } catch {
            if error.code == .usage { throw Problem(.conflict, error) }
            throw error
        }
    }
}

extension TrashPage.Entry {
    /// The picture with the moments of its deletion and of its end.
    fileprivate var response: JSONValue {
        let moment = { (second: Int64) in
            JSONValue.string(WallTime(seconds: second, nanoseconds: 0, utcOffset: 0).iso8601)
        }
        return .object(
            item.responseMembers + [
                JSONValue.Member(name: "deleted", value: moment(deleted)),
                JSONValue.Member(name: "erased", value: moment(deleted + LibraryIndex.trashSeconds)),
            ])
    }
}
#endif
