// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Requests in memory", .timeLimit(.minutes(1)))
struct MemoryServiceTests {
    private static let cameras = "  garden: { camera: scene, width: 320, height: 240 }\n"

    @Test("A response has its status, its fields and its body")
    func response() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let response = try await service.get("/api/v1/cameras/garden")
            #expect(response.status == 200 && response.head.contains("Content-Type: application/json"))
            #expect(response.json["id"] as? String == "garden")
            #expect(try await service.get("/healthz").text == "ok\n")
        }
    }

    @Test("A token admits its holder to the requests of its role")
    func roles() async throws {
        let roles = ["viewer": Role.view, "user": .capture]
        try await MemoryService.run(Self.cameras, reach: .network, tokens: roles) { service, fields in
            let (viewer, user) = (try #require(fields["viewer"]), try #require(fields["user"]))
            let shutter = "/api/v1/cameras/garden/snap"
            #expect(try await service.get("/api/v1/status").status == 401)
            #expect(try await service.get("/api/v1/status", viewer).status == 200)
            #expect(try await service.request("POST", shutter, viewer).status == 403)
            #expect(try await service.request("POST", shutter, user).body.prefix(2) == Data([0xFF, 0xD8]))
        }
    }

    @Test("A body reaches its endpoint, whole or in parts")
    func bodies() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let path = "/api/v1/cameras/garden/controls"
            let whole = try await service.send("PATCH", path, json: #"{"brightness": 5}"#)
            #expect(whole.status == 400 && whole.text.contains("brightness"))
            let connection = try await service.connect()
            await connection.write(
                MemoryService.head(
                    "PATCH", path, ["Content-Type: application/json", "Transfer-Encoding: chunked"]))
            for part in [#"{"bright"#, #"ness": 5}"#] {
                await connection.write("\(String(part.utf8.count, radix: 16))\r\n\(part)\r\n")
            }
            await connection.write("0\r\n\r\n")
            let parts = MemoryService.Response(await connection.readToEnd())
            #expect(parts.status == 400 && parts.body == whole.body)
        }
    }

    @Test("Events are received while other requests are answered")
    func events() async throws {
        let series =
            "  garden:\n    camera: scene\n    width: 320\n    height: 240\n    series:\n"
            + "      quick: { interval: 100ms, output: \"FOLDER/%05n.jpg\" }\n"
        try await MemoryService.run(series) { service in
            let events = try await MemoryEvents(service, "?kind=captured,series")
            #expect(await events.next()?.name == "snapshot")
            _ = try await events.next("captured")
            #expect(try await service.request("POST", "/api/v1/series/quick/pause").status == 202)
            while try await events.next("series").data["state"] as? String != "paused" {}
        }
    }
}
#endif
