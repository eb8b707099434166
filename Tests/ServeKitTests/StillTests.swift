// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureTestSupport
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Stored pictures", .timeLimit(.minutes(1)))
struct StillTests {
    private static let cameras = """
          garden:
            camera: scene
            width: 640
            height: 480
            output: FOLDER/pictures/%05n.jpg
            series:
              quick: { interval: 100ms, output: FOLDER/series/%05n.jpg }

        """

    /// Runs a service that has one requested picture.
    private static func run(_ body: (MemoryService) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/series", withIntermediateDirectories: true)
        try await MemoryService.run(cameras, in: folder) { service in
            #expect(try await service.request("POST", "/api/v1/cameras/garden/snap").status == 201)
            try await body(service)
        }
    }

    private static func field(_ name: String, _ response: MemoryService.Response) -> String? {
        response.head.split(separator: "\r\n").first { $0.hasPrefix(name + ": ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }

    @Test("A picture and its thumbnail are sent once to a client that keeps their tags")
    func conditional() async throws {
        try await Self.run { service in
            for path in ["/api/v1/stills/garden-1", "/api/v1/stills/garden-1/thumbnail"] {
                let response = try await service.get(path)
                #expect(response.status == 200 && response.body.prefix(2) == Data([0xFF, 0xD8]), "\(path)")
                let tag = try #require(Self.field("ETag", response))
                let again = try await service.get(path, "If-None-Match: \"other\", \(tag)")
                #expect(again.status == 304 && again.body.isEmpty && Self.field("ETag", again) == tag)
                #expect(try await service.get(path, "If-None-Match: \"other\"").status == 200)
            }
            let (whole, small) = (
                try await service.get("/api/v1/stills/garden-1").body,
                try await service.get("/api/v1/stills/garden-1/thumbnail").body
            )
            #expect(small.count < whole.count / 2)
            let tags = try await service.get("/api/v1/stills/garden-1/exif").json
            #expect(
                (tags["Software"] as? String)?.hasPrefix("gst-capture") == true
                    && tags["PixelXDimension"] as? Int == 640)
            for path in ["garden-9", "garden-1x", "../garden-1"] {
                #expect(try await service.get("/api/v1/stills/\(path)/thumbnail").status == 404)
                #expect(try await service.get("/api/v1/stills/\(path)/exif").status == 404)
            }
        }
    }

    @Test("A part of a picture is sent to a client that asks for it, as players of movies do")
    func parts() async throws {
        try await Self.run { service in
            let path = "/api/v1/stills/garden-1"
            let whole = try await service.get(path)
            let (bytes, tag) = (whole.body, try #require(Self.field("ETag", whole)))
            #expect(Self.field("Accept-Ranges", whole) == "bytes")
            for (range, part) in [
                ("bytes=0-1", bytes.prefix(2)), ("bytes=100-", bytes.dropFirst(100)), ("bytes=-10", bytes.suffix(10)),
            ] {
                let response = try await service.get(path, "Range: \(range)", "If-Range: \(tag)")
                #expect(response.status == 206 && response.body == part, "\(range)")
                let place = "bytes \(part.startIndex - bytes.startIndex)-\(part.endIndex - bytes.startIndex - 1)"
                #expect(Self.field("Content-Range", response) == "\(place)/\(bytes.count)")
                #expect(
                    Self.field("Content-Length", response) == "\(part.count)" && Self.field("ETag", response) == tag)
            }
            let behind = try await service.get(path, "Range: bytes=\(bytes.count)-")
            #expect(behind.status == 416 && Self.field("Content-Range", behind) == "bytes */\(bytes.count)")
            // The client has begun to read another file, asks for several parts, or wants only the head.
            for (range, tag) in [("bytes=0-1", "\"other\""), ("bytes=0-1,3-4", tag)] {
                let response = try await service.get(path, "Range: \(range)", "If-Range: \(tag)")
                #expect(response.status == 200 && response.body == bytes, "\(range)")
            }
            let head = try await service.request("HEAD", path, "Range: bytes=0-1")
            #expect(head.status == 200 && Self.field("Content-Length", head) == "\(bytes.count)")
        }
    }

    @Test("Since and until select pictures by the time at which they were captured")
    func range() async throws {
        try await Self.run { service in
            for (query, count) in [
                ("since=1h%20ago", 1), ("until=1h%20ago", 0), ("since=2020-01-01T00:00:00Z", 1),
                ("until=2020-01-01", 0),
            ] {
                let response = try await service.get("/api/v1/stills?series=garden&" + query)
                let stills = response.json["stills"] as? [Any]
                #expect(stills?.count == count, "\(query): \(response.status) \(response.text)")
            }
            for query in ["since=x", "until=", "since=99999999999999999999h"] {
                let status = try await service.get("/api/v1/stills?" + query).status
                #expect(status == 400, "\(query)")
            }
        }
    }

    @Test("A picture of a series is not removed on request")
    func removeOfSeries() async throws {
        try await Self.run { service in
            let events = try await MemoryEvents(service, "?kind=captured&series=quick", "Last-Event-ID: 0")
            var id = try await events.next("captured").data["still"] as? String
            while id == nil { id = try await events.next("captured").data["still"] as? String }
            let response = try await service.request("DELETE", "/api/v1/stills/\(try #require(id))")
            #expect(response.status == 409 && response.text.contains("belongs to a series"))
            #expect(try await service.get("/api/v1/stills/\(try #require(id))").status == 200)
        }
    }
}
#endif
