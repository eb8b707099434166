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
                "live=2", "x=1", "at=200ms", "at=-3s", "at=", "at=-", "at=--1s", "at=-0s", "at=-1e9s", "at=-200",
                "at=-9999999999999999999d", "at=-200ms&burst=2", "at=-200ms&delay=1s", "at=-200ms&live=1",
            ] {
                #expect(try await service.request("POST", Self.snap + "?" + query).status == 400, "\(query)")
            }
            for key in ["", "a b", String(repeating: "a", count: 256), "\u{e4}"] {
                #expect(try await service.request("POST", Self.snap, "Idempotency-Key: \(key)").status == 400, "\(key)")
            }
            #expect(Self.pictures(service).isEmpty)
        }
    }

    @Test("A frame from before the request needs a history that reaches so far, and an open camera")
    func earlier() async throws {
        let cameras = """
              garden: { camera: scene, width: 320, height: 240, history: 500ms }
              desk: { camera: scene, width: 320, height: 240 }

            """
        try await MemoryService.run(cameras) { service in
            for (request, status, text) in [
                ("garden/snap?at=-200ms", 409, "was closed"), ("desk/snap?at=-200ms", 409, "add history: 500ms"),
                ("garden/snap?at=-501ms", 400, "keeps the frames of 500ms"),
            ] {
                let response = try await service.request("POST", "/api/v1/cameras/" + request)
                #expect(response.status == status && response.text.contains(text), "\(response.text)")
            }
            let viewer = try await service.service.view("garden", StreamRequest())
            var status = 409
            // Until the camera has been open for the time.
            while status == 409, let picture = await viewer.next(), picture.fault == nil {
                let response = try await service.request("POST", "/api/v1/cameras/garden/snap?at=-200ms")
                status = response.status
                guard status != 409 else { continue }
                #expect(status == 200 && response.head.contains("X-Capture-Offset-Ms: -"), "\(response.head)")
            }
            #expect(status == 200)
        }
    }
}
#endif
