// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureTestSupport
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Guided sessions", .timeLimit(.minutes(1)))
struct SessionTests {
    @Test("A session is started, captured, reviewed and accepted, and its pictures are read by their numbers")
    func whole() async throws {
        try await TwoStages.run { service in
            let events = try await MemoryEvents(service, "?session=two")
            let description = try await service.get("/api/v1/sessions").json
            #expect(((description["sessions"] as? [[String: Any]])?.first?["stages"] as? [[String: Any]])?.count == 2)
            #expect(try await TwoStages.post(service, "start").status == 201)
            try await events.phase("ready")
            #expect(try await TwoStages.post(service, "capture").status == 200)
            let review = try await events.next("review")
            #expect(review.data["pictures"] as? [Int] == [1, 2])
            // The answers and the events name the run, and no path.
            let state = try #require(try await service.get("/api/v1/sessions/two").json["run"] as? [String: Any])
            let run = try #require(state["id"] as? String)
            #expect(state["phase"] as? String == "review" && (state["pictures"] as? [Any])?.count == 2)
            #expect(try await service.get("/api/v1/cameras/front").json["message"] as? String == "delivers frames")
            #expect(try await TwoStages.post(service, "accept").status == 200)
            let finished = try await events.next("finished")
            #expect(finished.data["ending"] as? String == "accepted" && finished.data["run"] as? String == run)
            #expect(finished.data["folder"] == nil && finished.data["session"] as? String == "two")
            let record = try await service.get("/api/v1/sessions/two/runs/\(run)").json
            #expect(record["state"] as? String == "accepted")
            let list = try await service.get("/api/v1/sessions/two/runs?limit=1").json
            #expect((list["runs"] as? [[String: Any]])?.map { $0["id"] as? String } == [run] && list["next"] is NSNull)
            for wrong in ["before=%21", "before=1", "limit=0", "limit=501"] {
                #expect(try await service.get("/api/v1/sessions/two/runs?\(wrong)").status == 400)
            }
            for number in 1...2 {
                let picture = try await service.get("/api/v1/sessions/two/runs/\(run)/pictures/\(number)")
                #expect(picture.status == 200 && picture.head.contains("Content-Type: image/jpeg"))
                #expect(picture.body.prefix(2) == Data([0xFF, 0xD8]) && picture.body.suffix(2) == Data([0xFF, 0xD9]))
            }
            #expect(service.log.contains("POST /api/v1/sessions/two/start"))
        }
    }

    @Test("A kiosk runs a session, and changes nothing else")
    func kiosk() async throws {
        try await TwoStages.run(tokens: ["wall": .view, "kiosk": .kiosk]) { service, fields in
            let (wall, kiosk) = (try #require(fields["wall"]), try #require(fields["kiosk"]))
            let start = "/api/v1/sessions/two/start?kiosk=yes"
            #expect(try await service.request("POST", start, wall).status == 403)
            let events = try await MemoryEvents(service, "?session=two", from: "127.0.0.1", kiosk)
            #expect(try await service.request("POST", start, kiosk).status == 201)
            try await events.phase("ready")
            #expect(try await service.request("POST", "/api/v1/sessions/two/capture", kiosk).status == 200)
            _ = try await events.next("review")
            #expect(try await service.request("POST", "/api/v1/sessions/two/accept", kiosk).status == 200)
            _ = try await events.next("finished")
            for path in ["cameras/front/snap", "series", "library/scan"] {
                #expect(
                    [403, 404].contains(try await service.request("POST", "/api/v1/\(path)", kiosk).status), "\(path)")
            }
        }
    }

    @Test("A single picture is retaken, and the other one stays")
    func retake() async throws {
        try await TwoStages.run { service in
            let events = try await MemoryEvents(service, "?session=two")
            _ = try await TwoStages.post(service, "start")
            try await events.phase("ready")
            _ = try await TwoStages.post(service, "capture")
            _ = try await events.next("review")
            #expect(try await TwoStages.post(service, "retake?picture=1").status == 200)
            // The stage of the picture may need a trigger.
            while let event = await events.next(), event.name != "review" {
                if event.name == "phase", event.data["phase"] as? String == "armed" {
                    _ = try await TwoStages.post(service, "capture")
                }
            }
            let state = try #require(try await service.get("/api/v1/sessions/two").json["run"] as? [String: Any])
            let numbers = (state["pictures"] as? [[String: Any]])?.compactMap { $0["number"] as? Int }
            #expect(numbers == [3, 2])
        }
    }

    @Test("A clip is recorded until a request ends it, and is read with its first picture")
    func clip() async throws {
        let text = "countdown: 0\nstart: now\nstages: [{name: hello, clip: 5m}, {name: one}]"
        try await TwoStages.run(text) { service in
            let events = try await MemoryEvents(service, "?session=two")
            #expect(try await TwoStages.post(service, "start").status == 201)
            let recording = try await events.next("recording")
            #expect(recording.data["stage"] as? String == "hello" && recording.data["remaining_ms"] as? Int == 300_000)
            #expect(try await events.next("recorder").data["recording"] as? Bool == true)
            let camera = try await service.get("/api/v1/cameras/front").json["recording"] as? [String: Any]
            let own = try #require(camera?["session"] as? [String: Any])
            #expect(camera?["state"] as? String == "none" && own["id"] as? String == "two" && own["since"] is String)
            let session = try await service.get("/api/v1/sessions/two").json
            let stages = try #require(session["stages"] as? [[String: Any]])
            #expect(stages[0]["clip_ms"] as? Int == 300_000 && stages[1]["clip_ms"] is NSNull)
            #expect((session["run"] as? [String: Any])?["phase"] as? String == "recording")
            let refused = try await TwoStages.post(service, "skip")
            #expect(refused.status == 409 && refused.json["reason"] as? String == "recording")
            #expect(try await TwoStages.post(service, "capture").status == 200)
            let captured = try await events.next("captured")
            #expect(try await service.get("/api/v1/cameras/front").json["recording"] is NSNull)
            let clip = try #require(captured.data["picture"] as? [String: Any])
            #expect(clip["duration_ms"] as? Double ?? 0 > 0 && clip["file"] as? String == "hello-001.mp4")
            _ = try await events.next("review")
            _ = try await TwoStages.post(service, "accept")
            let run = try #require(try await events.next("finished").data["run"] as? String)
            let path = "/api/v1/sessions/two/runs/\(run)/pictures/"
            let file = try await service.get(path + "1")
            #expect(file.status == 200 && file.head.contains("Content-Type: video/mp4"))
            #expect(file.body.count == clip["bytes"] as? Int)
            let poster = try await service.get(path + "1?poster=yes")
            #expect(poster.head.contains("Content-Type: image/jpeg") && poster.body.starts(with: [0xFF, 0xD8]))
            #expect(try await service.get(path + "2?poster=yes").status == 404)
        }
    }

    @Test("Requests that the phase refuses are conflicts with a reason, and change nothing")
    func refusals() async throws {
        try await TwoStages.run { service in
            let events = try await MemoryEvents(service, "?session=two")
            #expect(try await TwoStages.post(service, "capture").json["reason"] as? String == "not-running")
            #expect(try await TwoStages.post(service, "start").status == 201)
            let second = try await TwoStages.post(service, "start")
            #expect(second.status == 409 && second.json["reason"] as? String == "already-running")
            try await events.phase("ready")
            let refused = try await TwoStages.post(service, "accept")
            #expect(refused.status == 409 && refused.json["reason"] is String && refused.json["detail"] is String)
            #expect(try await TwoStages.post(service, "retake").status == 400)
            #expect(try await TwoStages.post(service, "retake?picture=7").status == 409)
            #expect(try await TwoStages.post(service, "cancel").status == 200)
            #expect(try await events.next("finished").data["ending"] as? String == "cancelled")
        }
    }

    @Test("IDs that no run or picture has are not found, and lead to no other file")
    func unknown() async throws {
        try await TwoStages.run { service in
            for path in [
                "sessions/none", "sessions/two/runs/..", "sessions/two/runs/%2e%2e", "sessions/two/runs/..%2f..%2fetc",
                "sessions/two/runs/none", "sessions/two/runs/%00", "sessions/two/runs/two-1/pictures/1",
                "sessions/two/runs/../pictures/1", "sessions/two/runs/" + String(repeating: "a", count: 300),
            ] {
                let status = try await service.get("/api/v1/\(path)").status
                #expect([400, 404].contains(status), "\(path): \(status)")
            }
        }
    }
}

/// A service with one camera and one session of two stages.
enum TwoStages {
    private static let session = """
        title: Two
        start: trigger
        next-stages: now
        countdown: 1s
        stages:
          - name: one
          - name: two
        """

    static func run(_ text: String? = nil, _ body: (MemoryService) async throws -> Void) async throws {
        try await run(text, tokens: nil) { service, _ in try await body(service) }
    }

    static func run(
        _ text: String? = nil, tokens: [String: Role]?,
        _ body: (MemoryService, [String: String]) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        try folder.write("two.yaml", text ?? session)
        let cameras = """
              front: { camera: scene, width: 320, height: 240 }
            sessions:
              two: { session: FOLDER/two.yaml, output: FOLDER }

            """
        try await MemoryService.run(cameras, in: folder, tokens: tokens, body)
    }

    /// Sends a request to the session.
    static func post(_ service: MemoryService, _ request: String) async throws -> MemoryService.Response {
        try await service.request("POST", "/api/v1/sessions/two/\(request)")
    }
}

extension MemoryEvents {
    /// Waits until a session has this phase.
    func phase(_ name: String) async throws {
        while try await next("phase").data["phase"] as? String != name {}
    }
}
#endif
