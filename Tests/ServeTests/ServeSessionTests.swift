// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Glibc
import ProgramTestSupport
import Testing

@Suite("Sessions over HTTP", .ownThread, .serialized, .timeLimit(.minutes(5)))
struct ServeSessionTests {
    @Test("A session is started, captured, reviewed and accepted, and its pictures are read by their numbers")
    func whole() throws {
        let desk = try SessionService()
        let events = try EventClient(desk.program, "?session=two")
        let description = try desk.program.get("/api/v1/sessions").json
        #expect(((description["sessions"] as? [[String: Any]])?.first?["stages"] as? [[String: Any]])?.count == 2)
        #expect(try desk.post("start").status == 201)
        _ = try events.phase("ready")
        #expect(try desk.post("capture").status == 200)
        let review = try events.next("review")
        #expect(review.data["pictures"] as? [Int] == [1, 2])
        // The answers and the events name the run, and no path.
        let state = try #require(try desk.program.get("/api/v1/sessions/two").json["run"] as? [String: Any])
        let run = try #require(state["id"] as? String)
        #expect(state["phase"] as? String == "review" && (state["pictures"] as? [Any])?.count == 2)
        #expect(try desk.program.get("/api/v1/cameras/front").json["message"] as? String == "delivers frames")
        #expect(try desk.post("accept").status == 200)
        let finished = try events.next("finished")
        #expect(finished.data["ending"] as? String == "accepted" && finished.data["run"] as? String == run)
        #expect(finished.data["folder"] == nil && finished.data["session"] as? String == "two")
        let record = try desk.program.get("/api/v1/sessions/two/runs/\(run)").json
        #expect(record["state"] as? String == "accepted")
        for number in 1...2 {
            let picture = try desk.program.get("/api/v1/sessions/two/runs/\(run)/pictures/\(number)")
            #expect(picture.status == 200 && picture.head.contains("Content-Type: image/jpeg"))
            #expect(picture.body.prefix(2) == Data([0xFF, 0xD8]) && picture.body.suffix(2) == Data([0xFF, 0xD9]))
        }
        #expect(desk.program.log.contains("POST /api/v1/sessions/two/start"))
    }

    @Test("A single picture is retaken, and the other one stays")
    func retake() throws {
        let desk = try SessionService()
        let events = try EventClient(desk.program, "?session=two")
        _ = try desk.post("start")
        _ = try events.phase("ready")
        _ = try desk.post("capture")
        _ = try events.next("review")
        #expect(try desk.post("retake?picture=1").status == 200)
        // The stage of the picture may need a trigger.
        while let event = events.next(), event.name != "review" {
            if event.name == "phase", event.data["phase"] as? String == "armed" { _ = try desk.post("capture") }
        }
        let state = try #require(try desk.program.get("/api/v1/sessions/two").json["run"] as? [String: Any])
        let numbers = (state["pictures"] as? [[String: Any]])?.compactMap { $0["number"] as? Int }
        #expect(numbers == [3, 2])
    }

    @Test("Requests that the phase refuses are conflicts with a reason, and change nothing")
    func refusals() throws {
        let desk = try SessionService()
        let events = try EventClient(desk.program, "?session=two")
        #expect(try desk.post("capture").json["reason"] as? String == "not-running")
        #expect(try desk.post("start").status == 201)
        let second = try desk.post("start")
        #expect(second.status == 409 && second.json["reason"] as? String == "already-running")
        _ = try events.phase("ready")
        let refused = try desk.post("accept")
        #expect(refused.status == 409 && refused.json["reason"] is String && refused.json["detail"] is String)
        #expect(try desk.post("retake").status == 400)
        #expect(try desk.post("retake?picture=7").status == 409)
        #expect(try desk.post("cancel").status == 200)
        #expect(try events.next("finished").data["ending"] as? String == "cancelled")
    }

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

    @Test(
        "IDs that no run or picture has are not found, and lead to no other file",
        arguments: [
            "sessions/none", "sessions/two/runs/..", "sessions/two/runs/%2e%2e", "sessions/two/runs/..%2f..%2fetc",
            "sessions/two/runs/none", "sessions/two/runs/%00", "sessions/two/runs/two-1/pictures/1",
            "sessions/two/runs/../pictures/1", "sessions/two/runs/" + String(repeating: "a", count: 300),
        ])
    func unknown(path: String) throws {
        let status = try SessionService.shared.get().program.get("/api/v1/\(path)").status
        #expect([400, 404].contains(status), "\(status)")
    }
}

/// A service with one camera and one session of two stages.
struct SessionService: Sendable {
    let program: ServedProgram
    private let owned: OwnedFolder?

    /// A service for tests that start no session.
    static let shared = Result { try SessionService() }

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
