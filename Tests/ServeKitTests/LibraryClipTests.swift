// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureTestSupport
import Foundation
import LibraryFeed
import LibraryKit
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Clips in the library of a service", .timeLimit(.minutes(2)))
struct LibraryClipTests {
    private static func cameras(_ more: String = "") -> String {
        """
          door:
            camera: scene
            width: 640
            height: 480
            framerate: 30
            output: FOLDER/pictures/%05n.jpg
            clips: { output: FOLDER/clips/%n.mp4, keep-free: 0\(more) }

        """
    }
    private static let camera = "/api/v1/cameras/door"
    private static let items = "/api/v1/library/items"

    /// Records a clip, and returns its ID in the library when it is there.
    private static func record(_ service: MemoryService, number: Int = 1) async throws -> String {
        var changes = service.feed.arrivals.makeAsyncIterator()
        let events = service.service.listen(after: 0)
        #expect(try await service.request("POST", camera + "/record").status == 202)
        for await event in events
        where event.event.json.text.contains("\"type\":\"began\",\"clip\":\(number)") { break }
        #expect(try await service.request("POST", camera + "/record/stop").status == 200)
        return try await id(service, number, &changes)
    }

    private static func id(
        _ service: MemoryService, _ number: Int, _ changes: inout AsyncStream<LibraryChanges>.Iterator
    ) async throws -> String {
        while true {
            if let id = try await ids(service).first(where: { $0.hasSuffix("~c\(number)") }) { return id }
            _ = try #require(await changes.next())
        }
    }

    private static func ids(_ service: MemoryService, _ query: String = "kind:clip") async throws -> [String] {
        let list = try await service.get("\(items)?q=\(query)").json["items"] as? [[String: Any]]
        return (list ?? []).compactMap { $0["id"] as? String }
    }

    @Test("A clip is in the library when it is complete, with its length, its file and its first picture")
    func recorded() async throws {
        try await MemoryService.run(Self.cameras()) { service in
            let id = try await Self.record(service)
            let item = try await service.get("\(Self.items)/\(id)").json
            let clip = try await service.get(Self.camera + "/clips/1").json
            #expect(item["kind"] as? String == "clip" && item["camera"] as? String == "door")
            #expect(item["width"] as? Int == 640 && item["bytes"] as? Int == clip["bytes"] as? Int)
            let length = try #require(item["duration_ms"] as? Double)
            #expect(abs(length - (try #require(clip["duration_ms"] as? Double))) < 1 && item["still"] is NSNull)
            let file = try await service.get("\(Self.items)/\(id)/file")
            #expect(file.status == 200 && file.head.contains("Content-Type: video/mp4"))
            let part = try await service.request("GET", "\(Self.items)/\(id)/file", "Range: bytes=4-7")
            #expect(part.status == 206 && part.text == "ftyp")
            for size in ["", "?size=320", "?size=1280"] {
                let poster = try await service.get("\(Self.items)/\(id)/thumbnail\(size)")
                #expect(poster.status == 200 && poster.body.starts(with: [0xFF, 0xD8]), "\(poster.text)")
            }
            #expect(try await (service.get("/api/v1/stills").json["stills"] as? [Any])?.count == 0)
            let days = try await service.get("/api/v1/library/days?q=kind:clip").json["days"] as? [[String: Any]]
            #expect(days?.map { $0["count"] as? Int } == [1])
        }
    }

    @Test("A clip is tagged, deleted and restored; the request that removes it for good takes it out of the library")
    func changed() async throws {
        try await MemoryService.run(Self.cameras()) { service in
            let id = try await Self.record(service)
            let json = #"{"add": ["postman"], "stars": 4}"#
            #expect(try await service.send("PATCH", "\(Self.items)/\(id)", json: json).status == 200)
            #expect(try await Self.ids(service, "tag:postman") == [id])
            #expect(try await service.request("DELETE", "\(Self.items)/\(id)").status == 204)
            #expect(try await Self.ids(service).isEmpty)
            #expect(try await service.get("\(Self.items)/\(id)/thumbnail").status == 200)
            #expect(try await service.get(Self.camera + "/clips/1/file").status == 404)
            #expect(try await service.request("POST", "\(Self.items)/\(id)/restore").status == 200)
            #expect(try await Self.ids(service, "tag:postman") == [id])
            #expect(try await service.get(Self.camera + "/clips/1/file").status == 200)

            var changes = service.feed.arrivals.makeAsyncIterator()
            #expect(try await service.request("DELETE", Self.camera + "/clips/1").status == 204)
            while try await !Self.ids(service).isEmpty { _ = try #require(await changes.next()) }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: service.folder.path + "/clips") == [".gst-capture"])
        }
    }

    @Test("A clip that a limit removes leaves the library")
    func limited() async throws {
        try await MemoryService.run(Self.cameras(", max-count: 1")) { service in
            let first = try await Self.record(service)
            var changes = service.feed.arrivals.makeAsyncIterator()
            let second = try await Self.record(service, number: 2)
            while try await Self.ids(service) != [second] { _ = try #require(await changes.next()) }
            #expect(first != second)
        }
    }

    @Test("A service that starts again continues with the clips of its list, also without its index")
    func restarted() async throws {
        let folder = try TemporaryFolder()
        let first = try await MemoryService.run(Self.cameras(), in: folder) { try await Self.record($0) }
        try await MemoryService.run(Self.cameras(), in: folder) { service in
            var changes = service.feed.arrivals.makeAsyncIterator()
            #expect(try await Self.ids(service) == [first])
            let second = try await Self.record(service, number: 2)
            #expect(try await Self.id(service, 2, &changes) == second)
        }
        try FileManager.default.removeItem(atPath: folder.path + "/state/library")
        try await MemoryService.run(Self.cameras(), in: folder) { service in
            var changes = service.feed.arrivals.makeAsyncIterator()
            while try await Self.ids(service).count < 2 { _ = try #require(await changes.next()) }
            #expect(try await Self.ids(service).last == first)
        }
    }

    @Test("A movie of another origin is listed and played, and not decoded")
    func otherMovie() async throws {
        let folder = try TemporaryFolder()
        let movie = MovieFile()
        try movie.write(to: folder.path + "/clips/holiday.mp4")
        try await MemoryService.run(Self.cameras(), in: folder) { service in
            var changes = service.feed.arrivals.makeAsyncIterator()
            while try await Self.ids(service, "kind:file").isEmpty { _ = try #require(await changes.next()) }
            let id = try #require(try await Self.ids(service, "kind:file").first)
            #expect(try await service.get("\(Self.items)/\(id)/thumbnail").status == 404)
            let file = try await service.get("\(Self.items)/\(id)/file")
            #expect(file.head.contains("Content-Type: video/mp4") && file.body == Data(movie.bytes))
        }
    }
}
#endif
