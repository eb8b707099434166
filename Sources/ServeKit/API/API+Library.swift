// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import LibraryFeed
import LibraryKit
import ServiceKit

// The library: all pictures and movies of this machine, found by the index. A service without a state folder has none.
extension API {
    var libraryEndpoints: [Endpoint] {
        guard let library else { return [] }
        return [days(library), tags(library), items(library), item(library), change(library)] + files(library)
            + trashEndpoints(library) + albumEndpoints(library)
    }

    private func days(_ library: ServiceLibrary) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/library/days", summary: "The days with pictures, newest first.",
            parameters: [.search], content: .json("LibraryDays")
        ) { request in
            let query = try Self.search(request)
            let days = try await library.read { index throws(CaptureError) in try index.days(query) }
            return Response.json(.object(["days": .array(days.map(\.json))]))
        }
    }

    private func tags(_ library: ServiceLibrary) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/library/tags", summary: "The tags with their numbers of pictures.",
            content: .json("LibraryTags")
        ) { _ in
            let tags = try await library.read { index throws(CaptureError) in try index.values(of: .tag) }
            return Response.json(
                .object([
                    "tags": .array(tags.map { .object(["tag": .string($0.value), "count": .integer($0.count)]) })
                ]))
        }
    }

    private func items(_ library: ServiceLibrary) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/library/items", summary: "Pictures and movies, newest first.",
            parameters: [
                .search, .before,
                .query("day", "Begins with the pictures of this day, such as 2026-03-01, in place of the newest."),
                .pageLimit,
            ], content: .json("LibraryItems")
        ) { request in
            let (query, position) = (try Self.search(request), try Self.position(request))
            let limit = try request.number("limit", 1...LibraryIndex.mostItems, standard: 60)
            let page = try await library.read { index throws(CaptureError) in
                try index.page(query, from: position, limit: limit)
            }
            return Response.json(
                .object([
                    "items": .array(page.items.map(\.response)), "next": .optional(page.next?.description),
                ]))
        }
    }

    private func item(_ library: ServiceLibrary) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/library/items/{item}", summary: "All about a picture.", parameters: [.item],
            content: .json("LibraryItem"), problems: [.notFound]
        ) { request in Response.json(try await library.item(request.path("item")).response) }
    }

    private func change(_ library: ServiceLibrary) -> Endpoint {
        Endpoint(
            method: .patch, path: "/api/v1/library/items/{item}",
            summary:
                "Adds and removes tags, and sets the stars and the title: in the sidecar of the picture, then in the "
                + "index. Clients that change a picture at the same moment lose nothing.",
            parameters: [.item], body: .json("LibraryChange"), content: .json("LibraryItem"), problems: [.notFound],
            access: .role(.capture)
        ) { request in
            let change = try NotesChange(json: request.body)
            return Response.json(try await library.change(request.path("item"), change).response)
        }
    }

    private func files(_ library: ServiceLibrary) -> [Endpoint] {
        [
            Endpoint(
                method: .get, path: "/api/v1/library/items/{item}/file", summary: "The bytes of a picture or movie.",
                parameters: [.item, .ifNoneMatch, .range, .ifRange],
                responses: ServedFile.responses(Self.pictureTypes + [Self.movieType], hasTag: true),
                problems: [.notFound, .rangeNotSatisfiable], isPicture: true
            ) { request in
                let item = try await library.item(request.path("item"))
                if let unchanged = request.unchanged(item.tag) { return unchanged }
                let file = try await library.read { index throws(CaptureError) in
                    ServedFile(try ServiceLibrary.open(item.id, index))
                }
                return try file.response(
                    to: request,
                    [
                        .contentType: item.isMovie ? Self.movieType : StillRecord.mediaType(of: item.format),
                        .eTag: "\"\(item.tag)\"",
                        .cacheControl: Self.revalidation, .captureTime: item.facts.taken.iso8601,
                    ])
            },
            Endpoint(
                method: .get, path: "/api/v1/library/items/{item}/thumbnail",
                summary: "The picture, or the first picture of a clip, as a JPEG of up to this width.",
                parameters: [
                    .item, .ifNoneMatch, .query("size", "The width in pixels: 320 or 1280 (default: 320)."),
                ], responses: [(.ok, .other(["image/jpeg"])), (.notModified, .none)], problems: [.notFound],
                isPicture: true
            ) { [thumbnails] request in
                let width = try request.number("size", 1...9999, standard: ServiceLibrary.thumbnailWidths[0])
                guard ServiceLibrary.thumbnailWidths.contains(width) else {
                    throw Problem(.badRequest, "size: \(width) is not offered", advice: "give 320 or 1280")
                }
                let item = try await library.item(request.path("item"))
                let tag = "\(item.tag)-\(width)"
                if let unchanged = request.unchanged(tag) { return unchanged }
                let bytes = try await request.untilClientLeaves {
                    try await Self.thumbnail(of: item, width, thumbnails, library)
                }
                return .thumbnail(bytes, tag)
            },
        ]
    }

    private static let movieType = "video/mp4"

    private static func thumbnail(
        of item: LibraryItem, _ width: Int, _ thumbnails: Thumbnails, _ library: ServiceLibrary
    ) async throws(CaptureError) -> [UInt8] {
        let open = { @Sendable () throws(CaptureError) in try ServiceLibrary.open(item.id, library.index) }
        guard item.isMovie else {
            return try await thumbnails.thumbnail(
                of: "\(item.id)", tag: item.tag, item.format, width: width, open: open)
        }
        // A decoder of movies has more faults than the readers of pictures: it gets the recordings of this service alone.
        guard item.facts.kind != .file else {
            throw CaptureError(.noInput, "is a movie of another origin, and has no thumbnail", subject: "\(item.id)")
        }
        return try await thumbnails.poster(of: "\(item.id)", tag: item.tag, width: width, open: open)
    }

    private static func search(_ request: APIRequest) throws -> LibraryQuery {
        do throws(CaptureError) {
            return try LibraryQuery(request.query("q") ?? "")
        } catch {
            throw Problem(.badRequest, "q: \(error.message)", advice: error.advice)
        }
    }

    private static func position(_ request: APIRequest) throws(Problem) -> LibraryPosition? {
        if let position = try request.position({ LibraryPosition($0) }) { return position }
        guard let text = request.query("day") else { return nil }
        guard let position = LibraryPosition(endOf: text) else {
            throw Problem(.badRequest, "day: \(text.quoted) is not a date", advice: "write it as 2026-03-01")
        }
        return position
    }
}

extension APIRequest {
    /// Returns the position at which a page begins, from the `next` of the page before; `nil` for the first page.
    ///
    /// - Parameter read: Reads a position; `nil` if the text is none.
    func position<Position>(_ read: (String) -> Position?) throws(Problem) -> Position? {
        guard let text = query("before") else { return nil }
        guard let position = read(text) else {
            throw Problem(.badRequest, "before: \(text.quoted) is not the next of a page")
        }
        return position
    }
}

extension NotesChange {
    /// Reads `{"add": ["snow"], "remove": ["ice"], "stars": 3, "title": "Winter"}`; each member can be missing.
    fileprivate init(json bytes: [UInt8]) throws(Problem) {
        let example = #"{"add": ["snow"], "stars": 3}"#
        self = try JSONNode.body(bytes, levels: 3, mostValues: 500, example: example) { node throws(CaptureError) in
            var change = NotesChange()
            if node.has("add") { change.added = try node.texts("add") }
            if node.has("remove") { change.removed = Set(try node.texts("remove")) }
            if node.has("stars") { change.stars = try node.integer("stars", 0...5) }
            change.title = try node.optionalText("title")
            return change
        }
    }
}

extension LibraryItem {
    /// The picture for clients, with its ID below `/stills` if it is one of a series.
    var response: JSONValue { .object(responseMembers) }

    /// The members of ``response``.
    var responseMembers: [JSONValue.Member] {
        members + [JSONValue.Member(name: "still", value: facts.kind == .still ? .string("\(id.origin)") : .null)]
    }
}

extension Endpoint.Parameter {
    static let pageLimit = Endpoint.Parameter(
        place: .query, name: "limit", summary: "The maximum number of pictures.",
        schema: .integer(1...LibraryIndex.mostItems, standard: 60))
    fileprivate static let search = query("q", "Words and terms of a search, such as snow tag:winter stars:3..5.")
    static let item = Endpoint.Parameter(
        place: .path, name: "item", summary: "The ID of the picture, such as garden-pi.minute-1204.",
        schema: .text("^[A-Za-z0-9-]{1,63}\\.[A-Za-z0-9_~-]{1,190}$"))
}
#endif
