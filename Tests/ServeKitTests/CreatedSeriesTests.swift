// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureTestSupport
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Requests for series", .timeLimit(.minutes(1)))
struct CreatedSeriesTests {
    private static let cameras = """
          garden:
            camera: scene
            width: 320
            height: 240
            series:
              minute: { interval: 1h, output: FOLDER/minute/%n.jpg }

        """
    private static let path = "/api/v1/series"

    private static func run(_ body: (MemoryService) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/minute", withIntermediateDirectories: true)
        try await MemoryService.run(cameras, in: folder, body)
    }

    @Test("Requests that do not fit are problems, and change nothing")
    func refused() async throws {
        try await Self.run { service in
            let requests: [(String, Int)] = [
                (#"{"id": "minute", "camera": "garden", "interval": "1s"}"#, 409),
                (#"{"id": "quick", "camera": "desk", "interval": "1s"}"#, 404),
                (#"{"id": "quick", "camera": "garden"}"#, 400), ("[]", 400), ("{", 400), ("", 400), ("\u{0}", 400),
                (String(repeating: " ", count: 17 << 10), 413),
            ]
            for (body, status) in requests {
                let response = try await service.send("POST", Self.path, json: body)
                #expect(response.status == status, "\(body.prefix(60)): \(response.text)")
            }
            #expect(
                try await service.request("POST", Self.path, "Content-Length: 2", "Content-Type: text/plain").status
                    == 415)
            #expect(try await service.request("DELETE", Self.path + "/minute").status == 409)
            #expect(try await service.request("DELETE", Self.path + "/quick").status == 404)
            #expect((try await service.get(Self.path).json["series"] as? [Any])?.count == 1)
        }
    }

    @Test("A body belongs to its Idempotency-Key")
    func repeated() async throws {
        try await Self.run { service in
            let body = #"{"id": "quick", "camera": "garden", "interval": "1h"}"#
            let first = try await service.send("POST", Self.path, json: body, "Idempotency-Key: one")
            #expect(first.status == 201)
            let again = try await service.send("POST", Self.path, json: body, "Idempotency-Key: one")
            #expect(again.status == 201 && again.body == first.body)
            let other = try await service.send(
                "POST", Self.path, json: body.replacing("quick", with: "slow"), "Idempotency-Key: one")
            #expect(other.status == 422)
        }
    }
}
#endif
