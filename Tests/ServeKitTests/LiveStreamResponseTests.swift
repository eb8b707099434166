// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Live pictures", .timeLimit(.minutes(1)))
struct LiveStreamResponseTests {
    private static let cameras = "  garden: { camera: scene, width: 320, height: 240, framerate: 30 }\n"

    @Test("Each part of a stream is a whole JPEG with its length and its time, at every path that clients use")
    func parts() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let paths = [
                "/api/v1/cameras/garden/stream?fps=20&width=160", "/cameras/garden/stream",
                "/cameras/garden?action=stream",
                "/stream", "/?action=stream&1764039600",
            ]
            for path in paths {
                let client = try await MemoryLive(service, path)
                #expect(client.head.contains("Content-Type: multipart/x-mixed-replace;boundary=boundarydonotcross"))
                var times: [Double] = []
                for _ in 0..<3 {
                    let part = try await client.next()
                    #expect(part.isJPEG, "\(path)")
                    times.append(try #require(part.timestamp))
                }
                #expect(times == times.sorted() && Set(times).count == 3, "\(path)")
            }
        }
    }

    @Test("A snapshot is the newest frame as a JPEG, at every path that clients use")
    func snapshot() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let paths = [
                "/api/v1/cameras/garden/snapshot", "/cameras/garden/snapshot", "/cameras/garden?action=snapshot",
                "/snapshot", "/?action=snapshot", "/?action=snapshot&cacheBust=1764039600",
            ]
            for path in paths {
                let response = try await service.get(path)
                #expect(response.status == 200 && response.head.contains("Content-Type: image/jpeg"), "\(path)")
                #expect(
                    response.body.prefix(2) == Data([0xFF, 0xD8]) && response.body.suffix(2) == Data([0xFF, 0xD9]))
                #expect(response.head.contains("X-Timestamp: ") && response.head.contains("Resource-Policy: same-site"))
            }
        }
    }
}
#endif
