// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Hummingbird
import LibraryFeed
import LibraryKit
import ServiceKit

// The albums and the folders of the library.
extension API {
    func albumEndpoints(_ library: ServiceLibrary) -> [Endpoint] {
        [albums(library), createAlbum(library), changeAlbum(library), removeAlbum(library), roots(library)]
    }

    private func albums(_ library: ServiceLibrary) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/library/albums", summary: "The albums in the order of their titles.",
            content: .json("LibraryAlbums")
        ) { _ in
            let albums = try await library.read { index throws(CaptureError) in try index.albums() }
            return Response.json(.object(["albums": .array(albums.map(\.json))]))
        }
    }

    private func createAlbum(_ library: ServiceLibrary) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/library/albums",
            summary: "Creates an album with a title, and adds pictures to it.", body: .json("LibraryAlbumChange"),
            status: .created, content: .json("LibraryAlbum"), problems: [.notFound, .conflict]
        ) { request in
            let change = try AlbumChange(json: request.body)
            guard let title = change.title else { throw Problem(.badRequest, "title: is missing") }
            let album = try await Self.refusing { () throws(CaptureError) in
                try await library.createAlbum(title, change)
            }
            return Response.json(album.json, status: .created)
        }
    }

    private func changeAlbum(_ library: ServiceLibrary) -> Endpoint {
        Endpoint(
            method: .patch, path: "/api/v1/library/albums/{album}",
            summary: "Gives an album another title, and adds and removes pictures. Removed ones stay in the library.",
            parameters: [.album], body: .json("LibraryAlbumChange"), content: .json("LibraryAlbum"),
            problems: [.notFound, .conflict], access: .role(.capture)
        ) { request in
            let change = try AlbumChange(json: request.body)
            let album = try await Self.refusing { () throws(CaptureError) in
                try await library.changeAlbum(request.path("album"), change)
            }
            return Response.json(album.json)
        }
    }

    private func removeAlbum(_ library: ServiceLibrary) -> Endpoint {
        Endpoint(
            method: .delete, path: "/api/v1/library/albums/{album}",
            summary: "Removes an album. Its pictures stay; one whose only file is in the album goes into the trash.",
            parameters: [.album], status: .noContent, content: .none, problems: [.notFound, .conflict],
            access: .role(.capture)
        ) { request in
            try await Self.refusing { () throws(CaptureError) in try await library.removeAlbum(request.path("album")) }
            return Response(status: .noContent)
        }
    }

    private func roots(_ library: ServiceLibrary) -> Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/library/roots",
            summary: "The folders of the library with their states: offline if the disk of one is away.",
            content: .json("LibraryRoots")
        ) { _ in
            let roots = try await library.read { index throws(CaptureError) in try index.roots() }
            return Response.json(.object(["roots": .array(roots.map(\.json))]))
        }
    }
}

extension LibraryRoot {
    /// The folder for clients, who see no paths.
    fileprivate var json: JSONValue {
        .object(["name": .string(DeviceFiles.name(of: path).withoutControls), "state": .string(state.rawValue)])
    }
}

extension AlbumChange {
    /// Reads `{"title": "Summer", "add": ["garden-pi.minute-1204"], "remove": []}`; each member can be missing.
    fileprivate init(json bytes: [UInt8]) throws(Problem) {
        let example = #"{"title": "Summer", "add": []}"#
        self = try JSONNode.body(bytes, levels: 3, mostValues: 2000, example: example) { node throws(CaptureError) in
            var change = AlbumChange()
            change.title = try node.optionalText("title")
            if node.has("add") { change.added = try Self.items(try node.texts("add")) }
            if node.has("remove") { change.removed = try Self.items(try node.texts("remove")) }
            return change
        }
        if let title, !Album.isTitle(title) {
            throw Problem(.badRequest, "title: is empty or too long", advice: "give 1 to 200 bytes")
        }
    }

    private static func items(_ texts: [String]) throws(CaptureError) -> [ItemID] {
        try texts.map { text throws(CaptureError) in
            guard let id = ItemID(text) else { throw .unknownItem(text) }
            return id
        }
    }
}

extension Endpoint.Parameter {
    static let album = Endpoint.Parameter(
        place: .path, name: "album", summary: "The ID of the album, 8 hexadecimal digits.",
        schema: .text("^[0-9a-f]{8}$"))
}
#endif
