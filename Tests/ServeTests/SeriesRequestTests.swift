// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

@Suite("Series that clients create over HTTP", .ownThread, .serialized, .timeLimit(.minutes(5)))
struct SeriesRequestTests {
    private static let cameras = """
          garden:
            camera: scene
            width: 320
            height: 240
            series:
              minute: { interval: 1h, output: FOLDER/minute/%n.jpg }
        """
    private static let path = "/api/v1/series"

    private static func start(in folder: URL? = nil) throws -> ServedProgram {
        let folder = try folder ?? ServedProgram.makeFolder()
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("minute"), withIntermediateDirectories: true)
        return try ServedProgram(cameras, in: folder)
    }

    @Test("A created series captures, continues after SIGKILL, and ends when it is deleted")
    func life() async throws {
        let program = try Self.start()
        defer { try? FileManager.default.removeItem(at: program.folder) }
        let events = try EventClient(program, "?series=quick&kind=captured")
        let created = try program.send(
            "POST", Self.path, json: #"{"id": "quick", "camera": "garden", "interval": "200ms", "quality": 70}"#)
        #expect(created.status == 201 && created.json["removable"] as? Bool == true, "\(created.text)")
        #expect(created.head.contains("Location: /api/v1/series/quick"))
        let still = try #require(try events.next("captured").data["still"] as? String)
        _ = try events.next("captured")
        let state = try program.get(Self.path + "/quick").json
        #expect((state["lag"] as? [String: Any])?["last_ms"] is Double, "\(state)")
        #expect((state["storage"] as? [String: Any])?["free_bytes"] is Int, "\(state)")
        await program.kill()

        let second = try Self.start(in: program.folder)
        let later = try EventClient(second, "?series=quick&kind=captured")
        #expect(try later.next("captured").data["sequence"] as? Int ?? 0 > 1)
        #expect(try second.get("/api/v1/stills/\(still)").status == 200)
        #expect(try second.request("POST", Self.path + "/quick/trigger").status == 202)
        #expect(try second.request("DELETE", Self.path + "/quick").status == 204)
        #expect(try second.get(Self.path + "/quick").status == 404)
        await second.kill()
        let third = try Self.start(in: program.folder)
        #expect(try third.get(Self.path + "/quick").status == 404)
        #expect(try third.get(Self.path + "/minute").json["removable"] as? Bool == false)
    }
}
#endif
