// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Clips over HTTP", .timeLimit(.minutes(2)))
struct ClipTests {
    private static func cameras(_ more: String = "") -> String {
        """
          garden:
            camera: scene
            width: 320
            height: 240
            framerate: 30
            clips: { output: FOLDER/clips/%n.mp4, keep-free: 0\(more) }
          hall: { camera: scene, width: 320, height: 240 }

        """
    }
    private static let garden = "/api/v1/cameras/garden"

    /// Waits for an event of clips.
    private static func next(_ type: String, _ events: AsyncStream<NumberedEvent<ServiceEvent>>) async {
        for await event in events where event.event.kind == "clip" {
            if event.event.json.text.contains("\"type\":\"\(type)\"") { return }
        }
    }

    @Test("A recording is started, stopped, listed, played, shown by its first picture, and removed")
    func record() async throws {
        try await MemoryService.run(Self.cameras()) { service in
            let events = service.service.listen(after: 0)
            let started = try await service.request("POST", Self.garden + "/record")
            #expect(started.status == 202 && started.json["state"] as? String == "recording", "\(started.text)")
            #expect(try await service.request("POST", Self.garden + "/record").status == 409)
            await Self.next("began", events)
            let state = try await service.get(Self.garden).json["recording"] as? [String: Any]
            #expect(state?["clip"] as? Int == 1 && state?["microphone"] is NSNull)
            #expect(try await service.get(Self.garden + "/clips/1/file").status == 404)
            #expect(try await service.request("DELETE", Self.garden + "/clips/1").status == 409)
            let stopped = try await service.request("POST", Self.garden + "/record/stop")
            #expect(stopped.status == 200 && stopped.json["clip"] as? Int == 1, "\(stopped.text)")
            #expect(try await service.request("POST", Self.garden + "/record/stop").status == 409)

            let list = try await service.get(Self.garden + "/clips").json
            let clip = try #require((list["clips"] as? [[String: Any]])?.first)
            #expect(clip["state"] as? String == "complete" && clip["width"] as? Int == 320 && list["next"] is NSNull)
            let file = try await service.get(Self.garden + "/clips/1/file")
            #expect(file.head.contains("Content-Type: video/mp4") && file.body.count == clip["bytes"] as? Int)
            #expect(file.body.dropFirst(4).prefix(4) == Data("ftyp".utf8))
            let poster = try await service.get(Self.garden + "/clips/1/poster")
            #expect(poster.status == 200 && poster.body.starts(with: [0xFF, 0xD8]), "\(poster.text)")

            #expect(try await service.request("DELETE", Self.garden + "/clips/1").status == 204)
            #expect(try await service.get(Self.garden + "/clips/1").json["state"] as? String == "removed")
            #expect(try await service.get(Self.garden + "/clips/1/poster").status == 404)
        }
    }

    @Test("A trigger begins a clip of an armed camera, which a request cannot start")
    func trigger() async throws {
        try await MemoryService.run(Self.cameras(", trigger: yes, pre: 100ms, post: 200ms")) { service in
            let events = service.service.listen(after: 0)
            await Self.next("encoding", events)
            #expect(try await service.request("POST", Self.garden + "/record").status == 409)
            #expect(try await service.request("POST", Self.garden + "/record/trigger").status == 202)
            await Self.next("recorded", events)
            let clips = try await service.get(Self.garden + "/clips?limit=1").json["clips"] as? [[String: Any]]
            #expect(clips?.first?["reason"] as? String == "elapsed")
        }
    }

    @Test(
        "Wrong requests are refused",
        arguments: [
            ("hall/record", 409), ("desk/record", 404), ("garden/record?for=soon", 400), ("garden/record?for=0s", 400),
            ("garden/record/trigger", 409),
        ])
    func refused(_ path: String, _ status: Int) async throws {
        try await MemoryService.run(Self.cameras()) { service in
            let response = try await service.request("POST", "/api/v1/cameras/" + path)
            #expect(response.status == status, "\(response.text)")
        }
    }

    @Test("Unknown clips are not found", arguments: ["7", "0", "-1", "1x", "99999999999", "%2e%2e"])
    func unknown(_ id: String) async throws {
        try await MemoryService.run(Self.cameras()) { service in
            var statuses: [Int] = []
            for path in ["", "/file", "/poster"] {
                statuses.append(try await service.get(Self.garden + "/clips/\(id)\(path)").status)
            }
            statuses.append(try await service.request("DELETE", Self.garden + "/clips/\(id)").status)
            #expect(statuses == [404, 404, 404, 404])
        }
    }
}
#endif
