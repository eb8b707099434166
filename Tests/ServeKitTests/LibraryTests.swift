// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureTestSupport
import Foundation
import LibraryFeed
import LibraryKit
import ServiceKit
import Testing

@testable import ServeKit

@Suite("The library of a service", .timeLimit(.minutes(1)))
struct LibraryTests {
    private static let cameras = """
          garden:
            camera: scene
            width: 640
            height: 480
            output: FOLDER/pictures/%05n.jpg

        """
    private static let items = "/api/v1/library/items"

    /// Runs a service with one requested picture, which is in the library.
    private static func run(
        tokens: [String: Role]? = nil, _ body: (MemoryService, _ id: String, [String: String]) async throws -> Void
    ) async throws {
        try await MemoryService.run(cameras, tokens: tokens) { service, fields in
            try await body(service, try await snap(service, fields["admin"] ?? "X-None: 0"), fields)
        }
    }

    /// Captures a picture, and returns its ID in the library when it is there: a scan can find the file before its ledger
    /// has the line, and then it has another ID for a moment.
    private static func snap(
        _ service: MemoryService, _ field: String = "X-None: 0", number: Int = 1
    ) async throws -> String {
        var changes = service.feed.arrivals.makeAsyncIterator()
        #expect(try await service.request("POST", "/api/v1/cameras/garden/snap", field).status == 201)
        while true {
            let found = try await ids(service.get(items, field))
            if let id = found.first(where: { $0.hasSuffix(".garden-\(number)") }) { return id }
            _ = try #require(await changes.next())
        }
    }

    private static func ids(_ response: MemoryService.Response) -> [String] {
        (response.json["items"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    }

    @Test("A picture is in the library as soon as it is captured, with its day, its file and its thumbnails")
    func captured() async throws {
        try await Self.run { service, id, _ in
            #expect(id.hasSuffix(".garden-1"))
            let list = try await service.get(Self.items)
            #expect(list.status == 200 && Self.ids(list) == [id] && list.json["next"] is NSNull)
            #expect(!list.text.contains(service.folder.path))
            let item = try await service.get("\(Self.items)/\(id)").json
            #expect(item["camera"] as? String == "garden" && item["width"] as? Int == 640)
            let days = try await service.get("/api/v1/library/days").json["days"] as? [[String: Any]]
            #expect(days?.map { $0["count"] as? Int } == [1])
            let day = try #require(days?.first?["day"] as? String)
            #expect(Self.ids(try await service.get("\(Self.items)?day=\(day)")) == [id])
            #expect(Self.ids(try await service.get("\(Self.items)?day=2001-01-01")).isEmpty)
            let file = try await service.get("\(Self.items)/\(id)/file")
            #expect(file.body == (try await service.get("/api/v1/stills/garden-1").body) && !file.body.isEmpty)
            for size in ["", "?size=320", "?size=1280"] {
                let small = try await service.get("\(Self.items)/\(id)/thumbnail\(size)")
                #expect(small.status == 200 && small.body.prefix(2) == Data([0xFF, 0xD8]))
            }
        }
    }

    @Test("Tags, stars and titles are changed in the sidecar, and found at once")
    func changed() async throws {
        try await Self.run { service, id, _ in
            let json = #"{"add": ["snow", "ice"], "stars": 4, "title": "Winter"}"#
            let changed = try await service.send("PATCH", "\(Self.items)/\(id)", json: json)
            #expect(changed.status == 200 && changed.json["tags"] as? [String] == ["snow", "ice"])
            #expect(Self.ids(try await service.get("\(Self.items)?q=tag:snow%20stars:3..5%20winter")) == [id])
            _ = try await service.send("PATCH", "\(Self.items)/\(id)", json: #"{"remove": ["ice"]}"#)
            let tags = try await service.get("/api/v1/library/tags").json["tags"] as? [[String: Any]]
            #expect(tags?.compactMap { $0["tag"] as? String } == ["snow"])
            let names = try FileManager.default.contentsOfDirectory(atPath: service.folder.path + "/pictures")
            #expect(names.contains("00001.jpg.xmp"))
        }
    }

    @Test("The pictures of a session are in the library with their stages, and leave it when the session is cancelled")
    func session() async throws {
        try await TwoStages.run { service in
            let events = try await MemoryEvents(service, "?session=two")
            var changes = service.feed.arrivals.makeAsyncIterator()
            #expect(try await TwoStages.post(service, "start").status == 201)
            try await events.phase("ready")
            #expect(try await TwoStages.post(service, "capture").status == 200)
            _ = try await events.next("review")
            var list: [[String: Any]] = []
            while list.count < 2 {
                _ = try #require(await changes.next())
                list = try await service.get("\(Self.items)?q=kind:session").json["items"] as? [[String: Any]] ?? []
            }
            #expect(Set(list.compactMap { $0["stage"] as? String }).count == 2)
            #expect(list.allSatisfy { $0["session"] is String && $0["camera"] is String })
            #expect(try await TwoStages.post(service, "cancel").status == 200)
            while !list.isEmpty {
                _ = try #require(await changes.next())
                list = try await service.get("\(Self.items)?q=kind:session").json["items"] as? [[String: Any]] ?? []
            }
        }
    }

    @Test("A picture that is removed leaves the library")
    func removed() async throws {
        try await MemoryService.run(Self.cameras) { (service: MemoryService) async throws in
            var changes = service.feed.arrivals.makeAsyncIterator()
            #expect(try await service.request("POST", "/api/v1/cameras/garden/snap").status == 201)
            #expect(await changes.next()?.putCount == 1)
            #expect(try await service.request("DELETE", "/api/v1/stills/garden-1").status == 204)
            // Either the event or the first scan of the folder is the first to see it.
            while try await !Self.ids(service.get(Self.items)).isEmpty { _ = try #require(await changes.next()) }
        }
    }

    @Test("The pictures that the first scan of a folder finds are announced")
    func scanned() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("pictures/old.jpg", "")
        try await Data(JPEGFile.made().bytes).write(to: URL(filePath: path))
        try await MemoryService.run(Self.cameras, in: folder) { (service: MemoryService) async throws in
            var changes = service.feed.arrivals.makeAsyncIterator()
            while try await Self.ids(service.get(Self.items)).isEmpty { _ = try #require(await changes.next()) }
        }
    }

    @Test("A folder that a killed rebuild has left without its pictures is scanned at the start, also one of imports")
    func stale() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("imports/old.jpg", "")
        try await Data(JPEGFile.made().bytes).write(to: URL(filePath: path))
        let index = try await ServiceLibrary.open(in: folder.path + "/state").index
        _ = try LibraryScan(index, folder: folder.path + "/imports")
        _ = try index.reset()
        try await MemoryService.run(Self.cameras, in: folder) { (service: MemoryService) async throws in
            var changes = service.feed.arrivals.makeAsyncIterator()
            while try await Self.ids(service.get(Self.items)).isEmpty { _ = try #require(await changes.next()) }
        }
    }

    @Test("A service that starts again continues after the last picture that the library has")
    func restart() async throws {
        let folder = try TemporaryFolder()
        for count in 1...2 {
            try await MemoryService.run(Self.cameras, in: folder) { (service: MemoryService) async throws in
                _ = try await Self.snap(service, number: count)
                #expect(Self.ids(try await service.get(Self.items)).count == count)
            }
        }
    }

    @Test(
        "A request that is wrong gets one line with its remedy",
        arguments: [
            ("?limit=0", 400), ("?before=%21", 400), ("?day=2026-02-30", 400), ("?q=stars:9", 400),
            ("?q=" + String(repeating: "a", count: 1025), 400), ("/nothing", 404), ("/x.garden-9", 404),
            ("/..%2f..%2fetc", 404), ("/x.garden-1/file", 404), ("/x.garden-1/thumbnail?size=5", 400),
        ])
    func wrong(path: String, status: Int) async throws {
        try await MemoryService.run(Self.cameras) { (service: MemoryService) async throws in
            let response = try await service.get(Self.items + path)
            #expect(response.status == status && !response.text.contains(service.folder.path), "\(response.text)")
        }
    }

    @Test(
        "A change that is none changes nothing",
        arguments: [
            "", "[]", "{", #"{"stars": 6}"#, #"{"stars": -1}"#, #"{"add": "snow"}"#, #"{"add": [""]}"#,
            #"{"add": ["\u0000"]}"#, #"{"title": {}}"#, #"{"add": [[1]]}"#,
        ])
    func wrongChange(json: String) async throws {
        try await Self.run { service, id, _ in
            let response = try await service.send("PATCH", "\(Self.items)/\(id)", json: json)
            #expect(response.status == 400, "\(response.text)")
            let item = try await service.get("\(Self.items)/\(id)")
            #expect(item.json["tags"] as? [String] == [], "\(item.status) \(item.text)")
        }
    }

    @Test("A deleted picture is in the trash with its thumbnail, and returns or is erased")
    func trash() async throws {
        try await Self.run { service, id, _ in
            let (path, trash) = ("\(Self.items)/\(id)", "/api/v1/library/trash")
            #expect(try await service.request("DELETE", path).status == 204)
            #expect(Self.ids(try await service.get(Self.items)).isEmpty)
            let list = try await service.get(trash)
            #expect(Self.ids(list) == [id] && list.json["count"] as? Int == 1 && list.json["next"] is NSNull)
            let entry = try #require((list.json["items"] as? [[String: Any]])?.first)
            #expect(entry["deleted"] is String && entry["erased"] is String && entry["state"] as? String == "trash")
            #expect(try await service.get("\(path)/thumbnail").status == 200)
            #expect(try await service.get("\(path)/file").status == 200)
            let restored = try await service.request("POST", "\(path)/restore")
            #expect(restored.status == 200 && restored.json["state"] as? String == "present")
            #expect(try await service.get("/api/v1/stills/garden-1").status == 200)
            #expect(try await service.request("DELETE", "\(trash)/\(id)").status == 404)
            #expect(try await service.request("DELETE", path).status == 204)
            #expect(try await service.request("DELETE", trash).json["count"] as? Int == 1)
            #expect(try await Self.ids(service.get(trash)).isEmpty)
            #expect(try await service.request("POST", "\(path)/restore").status == 404)
            #expect(try await service.get("\(path)/file").status == 404)
        }
    }

    @Test("A deletion that the end of a service has interrupted is completed when it starts again")
    func interruptedTrash() async throws {
        let folder = try TemporaryFolder()
        let id = try await MemoryService.run(Self.cameras, in: folder) { (service: MemoryService) async throws in
            try await Self.snap(service)
        }
        let record = #"{"deleted": "2026-11-28T10:00:00.000+00:00", "files": ["00001.jpg"]}"#
        try folder.write("pictures/.gst-capture/trash/\(id)/.deleting", record)
        try await MemoryService.run(Self.cameras, in: folder) { (service: MemoryService) async throws in
            var changes = service.feed.arrivals.makeAsyncIterator()
            while try await !Self.ids(service.get(Self.items)).isEmpty { _ = try #require(await changes.next()) }
            #expect(try await Self.ids(service.get("/api/v1/library/trash")) == [id])
        }
    }

    @Test("An album is created with a picture, renamed and removed, and the picture stays")
    func albums() async throws {
        try await Self.run { service, id, _ in
            let path = "/api/v1/library/albums"
            let created = try await service.send("POST", path, json: #"{"title": "Summer \"26\"", "add": ["\#(id)"]}"#)
            #expect(
                created.status == 201 && created.json["count"] as? Int == 1 && created.json["cover"] as? String == id,
                "\(created.status) \(created.text)")
            let album = try #require(created.json["id"] as? String)
            #expect(try await service.send("POST", path, json: #"{"title": "Summer \"26\""}"#).status == 409)
            #expect(try await service.get("\(Self.items)/\(id)").json["albums"] as? [String] == ["Summer \"26\""])
            let changed = try await service.send("PATCH", "\(path)/\(album)", json: #"{"title": "Best"}"#)
            #expect(changed.json["title"] as? String == "Best")
            #expect(Self.ids(try await service.get("\(Self.items)?q=album:Best")) == [id])
            let removed = try await service.send("PATCH", "\(path)/\(album)", json: #"{"remove": ["\#(id)"]}"#)
            #expect(removed.json["count"] as? Int == 0 && removed.json["cover"] is NSNull)
            #expect(try await service.request("DELETE", "\(path)/\(album)").status == 204)
            #expect((try await service.get(path).json["albums"] as? [Any])?.isEmpty == true)
            #expect(Self.ids(try await service.get(Self.items)) == [id])
            let roots = try await service.get("/api/v1/library/roots")
            #expect(!roots.text.contains(service.folder.path) && roots.text.contains(#""state":"online""#))
        }
    }

    @Test(
        "A change of an album that is none changes nothing",
        arguments: [
            "", "[]", "{", #"{"title": ""}"#, #"{"title": "a", "add": ["../x"]}"#, #"{"add": []}"#,

        ])
    func wrongAlbum(json: String) async throws {
        try await MemoryService.run(Self.cameras) { (service: MemoryService) async throws in
            let response = try await service.send("POST", "/api/v1/library/albums", json: json)
            #expect(response.status == 400, "\(response.text)")
            #expect((try await service.get("/api/v1/library/albums").json["albums"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("A picture of a session stays with its session")
    func trashOfSession() async throws {
        try await TwoStages.run { service in
            let events = try await MemoryEvents(service, "?session=two")
            var changes = service.feed.arrivals.makeAsyncIterator()
            #expect(try await TwoStages.post(service, "start").status == 201)
            try await events.phase("ready")
            #expect(try await TwoStages.post(service, "capture").status == 200)
            _ = try await events.next("review")
            var ids: [String] = []
            while ids.isEmpty {
                _ = try #require(await changes.next())
                ids = Self.ids(try await service.get("\(Self.items)?q=kind:session"))
            }
            let response = try await service.request("DELETE", "\(Self.items)/\(ids[0])")
            #expect(response.status == 409 && response.text.contains("remove the run"))
        }
    }

    @Test("A token that may only view reads, and changes nothing")
    func roles() async throws {
        try await Self.run(tokens: ["admin": .admin, "view": .view, "capture": .capture]) { service, id, fields in
            let (view, capture) = (try #require(fields["view"]), try #require(fields["capture"]))
            let (path, json) = ("\(Self.items)/\(id)", #"{"stars": 2}"#)
            #expect(try await service.get(path, view).status == 200)
            #expect(try await service.get(path).status == 401)
            #expect(try await service.send("PATCH", path, json: json, view).status == 403)
            for (method, end) in [("DELETE", ""), ("POST", "/restore")] {
                #expect(try await service.request(method, path + end, view).status == 403)
            }
            #expect(try await service.send("PATCH", path, json: json, capture).status == 200)
        }
    }

    @Test("A file that a link has replaced is not sent")
    func link() async throws {
        try await Self.run { service, id, _ in
            let path = service.folder.path + "/pictures/00001.jpg"
            try FileManager.default.removeItem(atPath: path)
            try service.folder.write("secret.jpg", "secret")
            try FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: service.folder.path + "/secret.jpg")
            #expect(try await service.get("\(Self.items)/\(id)/file").status == 404)
        }
    }
}
#endif
