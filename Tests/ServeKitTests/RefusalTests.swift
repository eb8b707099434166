// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Foundation
import MetricsKit
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Refusals of the API", .timeLimit(.minutes(1)))
struct RefusalTests {
    private static let cameras = "  garden: { camera: scene, width: 320, height: 240 }\n"

    @Test("A device that is no camera is refused alike, whether its file exists or not")
    func device() async throws {
        try await MemoryService.run(Self.cameras) { service async throws in
            func refusal(_ path: String) async throws -> String {
                let response = try await service.request("POST", "/api/v1/cameras/garden/switch?device=\(path)")
                #expect(response.status == 404, "\(path) \(response.text)")
                return response.text.replacing(path, with: "PATH")
            }
            let missing = try await refusal("/nowhere/x")
            for path in ["/etc/passwd", "/root", "/etc/passwd/x", "/dev/null", "../../etc/passwd"] {
                #expect(try await refusal(path) == missing)
            }
            #expect(try await service.request("POST", "/api/v1/cameras/garden/switch?device=scene").status == 202)
        }
    }

    @Test("A loan of a format that the camera does not offer is refused as a mistake of the client")
    func loan() async throws {
        try await MemoryService.run(Self.cameras, reach: .socket) { service async throws in
            for (body, status) in [
                (#"{"format": "XYZ9"}"#, 422), (#"{"flash": "on"}"#, 422), (#"{"format": "🎥"}"#, 400),
            ] {
                let response = try await service.send("POST", "/api/v1/cameras/garden/frames", json: body)
                #expect(response.status == status, "\(body) \(response.text)")
            }
        }
    }

    @Test("Characters that JSON escapes as two surrogates are read in all bodies")
    func surrogates() async throws {
        try await MemoryService.run(Self.cameras) { service async throws in
            let body = #"{"id": "birds", "camera": "garden", "interval": "1m\ud83d\ude00"}"#
            let refused = try await service.send("POST", "/api/v1/series", json: body)
            #expect(refused.status == 400 && refused.text.contains("interval"), "\(refused.text)")
            #expect(refused.text.contains("😀"), "\(refused.text)")
            let escaped = #"{"id": "\u0062irds", "camera": "garden", "interval": "1m"}"#
            #expect(try await service.send("POST", "/api/v1/series", json: escaped).status == 201)
        }
    }

    @Test("The page of a session or a link that does not exist has the status 404")
    func pages() async throws {
        let sessions = "sessions:\n  avatar: { output: FOLDER }\n"
        try await MemoryService.run(Self.cameras, head: sessions) { service async throws in
            #expect(try await service.get("/kiosk/avatar").status == 200)
            let missing = try await service.get("/kiosk/other")
            #expect(missing.status == 404 && missing.head.contains("Content-Type: text/html"))
            #expect(try await service.get("/share/x").status == 404)
            let document = try await service.get("/api/v1/openapi.json").json
            let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
            let responses = try #require(paths["/kiosk/{session}"]?["get"]?["responses"] as? [String: [String: Any]])
            let content = try #require(responses["404"]?["content"] as? [String: Any])
            #expect(content["text/html"] != nil)
        }
        // Without a token, the page does not say which sessions there are.
        try await MemoryService.run(Self.cameras, head: sessions, reach: .network) { service async throws in
            #expect(try await service.get("/kiosk/avatar").status == 200)
            #expect(try await service.get("/kiosk/other").status == 200)
        }
    }

    @Test("A picture for which the disk has no room is refused with 507, which the document lists, and is logged")
    func fullDisk() async throws {
        let camera = "  garden: { camera: scene, width: 320, height: 240, output: FOLDER/%n.jpg, keep-free: 1000TB }\n"
        try await MemoryService.run(camera) { service async throws in
            let path = "/api/v1/cameras/garden/snap"
            let response = try await service.request("POST", path)
            #expect(response.status == 507 && response.head.contains("507 Insufficient Storage"), "\(response.text)")
            #expect(response.json["code"] as? String == "input-output" && response.json["advice"] != nil)
            #expect(service.log.contains("request failed: --keep-free"))
            let document = try await service.get("/api/v1/openapi.json").json
            let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
            let responses = paths["/api/v1/cameras/{camera}/snap"]?["post"]?["responses"] as? [String: Any]
            #expect(responses?["507"] != nil)
        }
    }

    @Test("A series that a client removes leaves no labels of metrics, also without a scrape")
    func labels() async throws {
        try await MemoryService.run(Self.cameras) { service async throws in
            let events = try await MemoryEvents(service, "?kind=captured")
            let body = #"{"id": "birds", "camera": "garden", "interval": "50ms"}"#
            #expect(try await service.send("POST", "/api/v1/series", json: body).status == 201)
            _ = try await events.next("captured")
            var before = Exposition()
            service.samples.write(to: &before)
            #expect(before.text.contains("birds"))
            #expect(try await service.request("DELETE", "/api/v1/series/birds").status == 204)
            var after = Exposition()
            service.samples.write(to: &after)
            #expect(!after.text.contains("birds"))
        }
    }
}
#endif
