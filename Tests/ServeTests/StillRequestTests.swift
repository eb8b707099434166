// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

@Suite("Pictures over HTTP", .ownThread, .serialized, .timeLimit(.minutes(5)))
struct StillRequestTests {
    private static let cameras = """
          garden:
            camera: scene
            width: 640
            height: 480
            output: FOLDER/pictures/%05n.jpg
            series:
              quick: { interval: 100ms, output: FOLDER/series/%05n.jpg }
        """

    private static func start() throws -> ServedProgram {
        let folder = try ServedProgram.makeFolder()
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("series"), withIntermediateDirectories: true)
        let program = try ServedProgram(Self.cameras, in: folder)
        #expect(try program.request("POST", "/api/v1/cameras/garden/snap").status == 201)
        return program
    }

    private static func field(_ name: String, _ response: ServedProgram.Response) -> String? {
        response.head.split(separator: "\r\n").first { $0.hasPrefix(name + ": ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }

    @Test("A picture and its thumbnail are sent once to a client that keeps their tags")
    func conditional() throws {
        let program = try Self.start()
        defer { try? FileManager.default.removeItem(at: program.folder) }
        for path in ["/api/v1/stills/garden-1", "/api/v1/stills/garden-1/thumbnail"] {
            let response = try program.get(path)
            #expect(response.status == 200 && response.body.prefix(2) == Data([0xFF, 0xD8]), "\(path)")
            let tag = try #require(Self.field("ETag", response))
            let again = try program.get(path, "If-None-Match: \"other\", \(tag)")
            #expect(again.status == 304 && again.body.isEmpty && Self.field("ETag", again) == tag)
            #expect(try program.get(path, "If-None-Match: \"other\"").status == 200)
        }
        let (whole, small) = (
            try program.get("/api/v1/stills/garden-1").body, try program.get("/api/v1/stills/garden-1/thumbnail").body
        )
        #expect(small.count < whole.count / 2)
        let tags = try program.get("/api/v1/stills/garden-1/exif").json
        #expect(
            (tags["Software"] as? String)?.hasPrefix("gst-capture") == true && tags["PixelXDimension"] as? Int == 640)
        for path in ["garden-9", "garden-1x", "../garden-1"] {
            #expect(try program.get("/api/v1/stills/\(path)/thumbnail").status == 404)
            #expect(try program.get("/api/v1/stills/\(path)/exif").status == 404)
        }
    }

    @Test("Since and until select pictures by the time at which they were due")
    func range() throws {
        let program = try Self.start()
        defer { try? FileManager.default.removeItem(at: program.folder) }
        func count(_ query: String) throws -> Int? {
            (try program.get("/api/v1/stills?series=garden&" + query).json["stills"] as? [Any])?.count
        }
        #expect(try count("since=1h%20ago") == 1 && count("until=1h%20ago") == 0)
        #expect(try count("since=2020-01-01T00:00:00Z") == 1 && count("until=2020-01-01") == 0)
        for query in ["since=x", "until=", "since=99999999999999999999h"] {
            #expect(try program.get("/api/v1/stills?" + query).status == 400, "\(query)")
        }
    }

    @Test("A removed picture is gone with its file, and the ledger has its removal, also after a crash")
    func remove() async throws {
        let program = try Self.start()
        defer { try? FileManager.default.removeItem(at: program.folder) }
        let file = program.folder.appendingPathComponent("pictures/00001.jpg")
        #expect(FileManager.default.fileExists(atPath: file.path))
        let removed = try program.request("DELETE", "/api/v1/stills/garden-1", "Idempotency-Key: one")
        #expect(removed.status == 204 && removed.body.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: file.path))
        await program.kill()
        let second = try ServedProgram(Self.cameras, in: program.folder)
        #expect(try second.request("DELETE", "/api/v1/stills/garden-1", "Idempotency-Key: one").status == 204)
        #expect(try second.request("DELETE", "/api/v1/stills/garden-1").status == 404)
        #expect(try second.get("/api/v1/stills/garden-1").status == 404)
        #expect(try second.get("/api/v1/ledger/garden").text.contains("request"))
        // The next picture does not get the number of the removed one.
        let next = try second.request("POST", "/api/v1/cameras/garden/snap").json["stills"] as? [[String: Any]]
        #expect(next?.first?["id"] as? String == "garden-2" && next?.first?["sequence"] as? Int == 2)
    }

    @Test("A picture of a series is not removed on request")
    func removeOfSeries() throws {
        let program = try Self.start()
        defer { try? FileManager.default.removeItem(at: program.folder) }
        let events = try EventClient(program, "?kind=captured&series=quick", "Last-Event-ID: 0")
        var id = try events.next("captured").data["still"] as? String
        while id == nil { id = try events.next("captured").data["still"] as? String }
        let response = try program.request("DELETE", "/api/v1/stills/\(try #require(id))")
        #expect(response.status == 409 && response.text.contains("belongs to a series"))
        #expect(try program.get("/api/v1/stills/\(try #require(id))").status == 200)
    }
}
#endif
