// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureTestSupport
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Sessions of strangers", .timeLimit(.minutes(1)))
struct StrangerTests {
    private static func run(_ session: String, _ body: (MemoryService) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try folder.write("club.yaml", session)
        let cameras = """
              front: { camera: scene, width: 640, height: 360 }
            sessions:
              club: { session: FOLDER/club.yaml, output: FOLDER }

            """
        try await MemoryService.run(cameras, in: folder, body)
    }

    private static let session = """
        title: Club
        start: trigger
        next-stages: trigger
        countdown: 0s
        share: 10m
        consent: { text: You agree, retention: 30d }
        fields: [{ name: name, required: yes }, { name: size, choices: [S, M] }]
        stages: [{ name: one, outline: card, crop: outline, corners: square }]
        languages: { de: { title: Verein, stages: { one: Schau her } } }
        """

    private static func post(_ service: MemoryService, _ request: String) async throws -> MemoryService.Response {
        try await service.request("POST", "/api/v1/sessions/club/\(request)")
    }

    private static func wait(_ events: MemoryEvents, for phase: String) async throws {
        while try await events.next("phase").data["phase"] as? String != phase {}
    }

    /// Starts a session, agrees and fills in the form.
    private static func begin(_ service: MemoryService, _ events: MemoryEvents) async throws {
        #expect(try await post(service, "start").status == 201)
        #expect(try await post(service, "capture").status == 200)
        try await wait(events, for: "consent")
        _ = try await post(service, "capture")
        try await wait(events, for: "form")
        let filled = try await service.send("POST", "/api/v1/sessions/club/fill", json: #"{"name": "Ada"}"#)
        #expect(filled.status == 200)
        _ = try await post(service, "capture")
    }

    @Test("Consent and fields come first, are checked, and are stored with the pictures")
    func consent() async throws {
        try await Self.run(Self.session) { service in
            let description = try await service.get("/api/v1/sessions/club").json
            #expect((description["consent"] as? [String: Any])?["retention_ms"] as? Double == 2_592_000_000.0)
            #expect((description["languages"] as? [String: Any])?["de"] != nil)
            let events = try await MemoryEvents(service, "?session=club")
            #expect(try await Self.post(service, "start").status == 201)
            _ = try await Self.post(service, "capture")
            try await Self.wait(events, for: "consent")
            _ = try await Self.post(service, "capture")
            try await Self.wait(events, for: "form")
            #expect(try await Self.post(service, "capture").json["reason"] as? String == "fields-missing")
            for (body, reason) in [
                (#"{"nme": "Ada"}"#, "nme"), (#"{"size": "XL"}"#, "size"), (#"{"name": " "}"#, "name"),
            ] {
                let refused = try await service.send("POST", "/api/v1/sessions/club/fill", json: body)
                #expect(refused.status == 409 && refused.json["reason"] as? String == "invalid-field")
                #expect((refused.json["detail"] as? String)?.hasPrefix(reason) == true)
            }
            for body in ["[]", "{", #"{"name": ["Ada"]}"#, #"{"name": null}"#, "\u{0}"] {
                #expect(
                    try await service.send("POST", "/api/v1/sessions/club/fill", json: body).status == 400, "\(body)")
            }
            #expect(
                try await service.send("POST", "/api/v1/sessions/club/fill", json: #"{"name": "Ada", "size": "M"}"#)
                    .status == 200
            )
            _ = try await Self.post(service, "capture")
            _ = try await events.next("review")
            _ = try await Self.post(service, "accept")
            let run = try #require(try await events.next("finished").data["run"] as? String)
            let record =
                try JSONSerialization.jsonObject(
                    with: Data(contentsOf: service.url.appending(path: "\(run)/session.json"))) as? [String: Any]
            #expect(record?["fields"] as? [String: String] == ["name": "Ada", "size": "M"])
            #expect(record?["consented"] is String && record?["retention_ms"] as? Double == 2_592_000_000.0)
        }
    }

    @Test("The service returns the box of an outline's shape in parts of the picture")
    func shape() async throws {
        try await Self.run(Self.session) { service in
            let box = try await service.get("/api/v1/outlines/card/shape?width=640&height=360").json
            let sides = try ["x", "y", "width", "height"].map { try #require(box[$0] as? Double) }
            #expect(sides.allSatisfy { $0 > 0 && $0 < 1 } && abs(sides[0] + sides[2] / 2 - 0.5) < 0.01)
            #expect(try await service.get("/api/v1/outlines/none/shape").status == 404)
            #expect(try await service.get("/api/v1/outlines/card/shape?width=5").status == 400)
        }
    }

    @Test("A link gives the pictures of one run without a token, until it is revoked")
    func share() async throws {
        try await Self.run(Self.session) { service in
            let events = try await MemoryEvents(service, "?session=club")
            try await Self.begin(service, events)
            _ = try await events.next("review")
            _ = try await Self.post(service, "accept")
            let run = try #require(try await events.next("finished").data["run"] as? String)
            let created = try await Self.post(service, "runs/\(run)/share")
            #expect(created.status == 201)
            let (id, path) = (created.json["id"] as? String ?? "", created.json["path"] as? String ?? "")
            // No other machine reaches this service.
            #expect(created.json["url"] is NSNull && created.json["qr"] as? String == "")
            let secret = String(path.dropFirst("/share/".count))
            #expect(secret.count == 32)
            #expect(try await service.get(path).text.contains("main.js"))
            let shared = try await service.get("/api/v1/shared/\(secret)")
            #expect((shared.json["pictures"] as? [[String: Any]])?.first?["name"] as? String == "one-001-crop.jpg")
            #expect(!shared.text.contains(service.folder.path))
            #expect(try await service.get("/api/v1/shared/\(secret)/1").body.starts(with: [0xFF, 0xD8]))
            #expect(try await service.get("/api/v1/shared/\(secret)/2").status == 404)
            for wrong in [String(secret.reversed()), "", "..%2f", String(repeating: "a", count: 500)] {
                #expect(try await service.get("/api/v1/shared/\(wrong)").status == 404)
            }
            #expect(try await service.request("DELETE", "/api/v1/shares/\(id)").status == 204)
            #expect(try await service.get("/api/v1/shared/\(secret)").status == 404)
            #expect(try await service.request("DELETE", "/api/v1/shares/\(id)").status == 404)
            #expect(try await Self.post(service, "runs/none/share").status == 404)
        }
    }

    @Test("An idle session is canceled, also before it begins, and the camera is released")
    func idle() async throws {
        try await Self.run("idle: 5s\ncountdown: 0s\nstages: [name: one]") { service in
            let events = try await MemoryEvents(service, "?session=club")
            #expect(try await Self.post(service, "start?kiosk=yes").status == 201)
            while try await events.next("notice").data["code"] as? String != "session-idle" {}
            #expect(try await events.next("finished").data["ending"] as? String == "cancelled")
            #expect((try await service.get("/api/v1/sessions/club/runs").json["runs"] as? [Any])?.isEmpty == true)
        }
    }
}
#endif
