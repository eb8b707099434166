// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Requests for pictures", .timeLimit(.minutes(1)))
struct CaptureRequestTests {
    private static let cameras = """
          garden:
            camera: scene
            width: 320
            height: 240
            output: FOLDER/pictures/%Y-%m-%d/%H%M%S.jpg
          desk: { camera: scene, width: 320, height: 240 }

        """
    private static let snap = "/api/v1/cameras/garden/snap"

    private static func pictures(_ service: MemoryService) -> [String] {
        let folder = service.url.appendingPathComponent("pictures")
        return (FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? [])
            .filter { $0.hasSuffix(".jpg") }
    }

    @Test("A key of another request is refused, and so is a request that is being answered")
    func conflicts() async throws {
        try await MemoryService.run(Self.cameras) { service in
            _ = try await service.request("POST", Self.snap, "Idempotency-Key: one")
            #expect(try await service.request("POST", Self.snap + "?burst=2", "Idempotency-Key: one").status == 422)
            #expect(
                try await service.request("POST", "/api/v1/cameras/desk/snap", "Idempotency-Key: one").status == 422)
            let begun = try await service.request(
                "POST", Self.snap + "?delay=1h", "Idempotency-Key: slow", "Prefer: respond-async")
            #expect(begun.status == 202 && begun.json["state"] as? String == "pending")
            // Requests of several connections have no order. If the second one comes first, it fails, the key is free again,
            // and the first one may have been refused.
            var (status, connections) = (400, [MemoryConnection]())
            while status == 400 {
                let connection = try await service.connect()
                await connection.write(
                    MemoryService.head("POST", Self.snap + "?delay=1h", ["Idempotency-Key: hour"]))
                connections.append(connection)
                status = try await service.request("POST", Self.snap + "?burst=0", "Idempotency-Key: hour").status
            }
            #expect(status == 422)
            #expect(try await service.request("POST", Self.snap + "?delay=1h", "Idempotency-Key: hour").status == 409)
        }
    }

    @Test("A camera without an output stores no pictures, and says what to do")
    func noOutput() async throws {
        try await MemoryService.run(Self.cameras) { service in
            for (query, header) in [("?burst=2", "X-A: b"), ("", "Prefer: respond-async")] {
                let response = try await service.request("POST", "/api/v1/cameras/desk/snap" + query, header)
                #expect(response.status == 409 && response.text.contains("give the camera an output"))
            }
            for query in [
                "delay=x", "delay=2h", "burst=0", "burst=101", "interval=1s", "burst=2&interval=0s", "burst=2&live=1",
                "live=2", "x=1",
            ] {
                #expect(try await service.request("POST", Self.snap + "?" + query).status == 400, "\(query)")
            }
            for key in ["", "a b", String(repeating: "a", count: 256), "\u{e4}"] {
                #expect(try await service.request("POST", Self.snap, "Idempotency-Key: \(key)").status == 400, "\(key)")
            }
            #expect(Self.pictures(service).isEmpty)
        }
    }
}
#endif
