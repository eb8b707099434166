// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Glibc
import ProgramTestSupport
import Testing

@Suite("Sessions over HTTP", .ownThread, .serialized, .timeLimit(.minutes(5)))
struct ServeSessionTests {

    @Test("A session that was killed with the service is resumed by the ID of its run, with its pictures")
    func killed() async throws {
        let folder = try ServedProgram.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try SessionService(in: folder)
        let events = try EventClient(first.program, "?session=two")
        _ = try first.post("start")
        _ = try events.phase("ready")
        _ = try first.post("capture")
        _ = try events.next("captured")
        await first.program.kill()
        let second = try SessionService(in: folder)
        let runs = try second.program.get("/api/v1/sessions/two/runs").json["runs"] as? [[String: Any]]
        let run = try #require(runs?.first?["id"] as? String)
        #expect(runs?.first?["state"] as? String == "open")
        let again = try EventClient(second.program, "?session=two")
        #expect(try second.post("start?run=\(run)").status == 201)
        while let event = again.next(), event.name != "review" {
            if event.name == "phase", ["ready", "armed"].contains(event.data["phase"] as? String ?? "") {
                _ = try second.post("capture")
            }
        }
        #expect(try second.post("accept").status == 200)
        #expect(try again.next("finished").data["run"] as? String == run)
        let pictures = try second.program.get("/api/v1/sessions/two/runs/\(run)").json["pictures"] as? [[String: Any]]
        #expect(pictures?.first?["number"] as? Int == 1 && pictures?.count == 2)
        // A run that is over cannot be resumed.
        #expect(try second.post("start?run=\(run)").json["reason"] as? String == "over")
    }

    @Test("SIGTERM leaves a running session, and its picture is safe")
    func terminated() async throws {
        let desk = try SessionService()
        let events = try EventClient(desk.program, "?session=two")
        _ = try desk.post("start")
        _ = try events.phase("ready")
        _ = try desk.post("capture")
        _ = try events.next("captured")
        let folder = desk.program.folder
        #expect(await desk.program.stop() == 0)
        let run = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasPrefix("two-") })
        let record =
            try JSONSerialization.jsonObject(
                with: Data(contentsOf: folder.appending(path: "\(run)/session.json"))) as? [String: Any]
        #expect(record?["state"] as? String == "open")
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: "\(run)/one-001.jpg").path))
    }
}

/// A service with one camera and one session of two stages.
struct SessionService: Sendable {
    let program: ServedProgram
    private let owned: OwnedFolder?

    /// - Parameter folder: The folder of an earlier service; `nil` for a new one, which is removed at the end.
    init(in folder: URL? = nil) throws {
        owned = try folder == nil ? OwnedFolder() : nil
        let folder = try #require(folder ?? owned?.url)
        let session = """
            title: Two
            start: trigger
            next-stages: now
            countdown: 1s
            stages:
              - name: one
              - name: two
            """
        try Data(session.utf8).write(to: folder.appendingPathComponent("two.yaml"))
        program = try ServedProgram(
            """
              front: { camera: scene, width: 320, height: 240 }
            sessions:
              two: { session: FOLDER/two.yaml, output: FOLDER }
            """, in: folder)
    }

    /// Sends a request to the session.
    func post(_ request: String) throws -> ServedProgram.Response {
        try program.request("POST", "/api/v1/sessions/two/\(request)")
    }
}

/// A folder that is removed with its owner.
private final class OwnedFolder: Sendable {
    let url: URL

    init() throws { url = try ServedProgram.makeFolder() }

    deinit { try? FileManager.default.removeItem(at: url) }
}

extension EventClient {
    /// Waits until a session has this phase.
    fileprivate func phase(_ name: String) throws {
        while try next("phase").data["phase"] as? String != name {}
    }
}
#endif
