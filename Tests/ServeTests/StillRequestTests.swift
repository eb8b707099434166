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
}
#endif
