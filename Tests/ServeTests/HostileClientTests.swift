// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

@Suite("Hostile clients of a service", .ownThread, .serialized, .timeLimit(.minutes(5)))
struct HostileClientTests {
    private static let cameras = "  garden: { camera: scene, width: 320, height: 240 }\n"

    @Test("A thousand connections, half of them in the middle of a request, leave a listener to events undisturbed")
    func manyConnections() throws {
        let series =
            "  garden:\n    camera: scene\n    width: 320\n    height: 240\n    series:\n"
            + "      quick: { interval: 100ms, output: \"FOLDER/%05n.jpg\" }\n"
        let program = try ServedProgram(series)
        let events = try EventClient(program, "?kind=captured,late,missed")
        let first = try number(events.next("captured"))
        let memory = program.memory
        for round in 0..<4 {
            let connections = try (0..<250).map { _ in try Connection(program.port) }
            for (index, connection) in connections.enumerated() where index % 2 == 0 {
                connection.write(index % 4 == 0 ? "GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" : "GET / HT")
            }
            // An idle connection gives way at once, and slow ones end after a time.
            #expect(connections[1].read() == nil, "\(round)")
            _ = try events.next("captured")
        }
        while (try? program.get("/healthz").status) != 200 { _ = try events.next("captured") }
        let last = try events.next("captured")
        #expect(try number(last) > first)
        #expect(program.memory < memory + 100 << 20)
        // A busy machine can miss slots; no picture may fail.
        #expect(try program.get("/api/v1/series/quick").json["failed"] as? Int == 0)
    }

    @Test("Clients of several networks use up neither the descriptors nor the places of others")
    func fewDescriptors() throws {
        let program = try ServedProgram(Self.cameras, descriptors: 256)
        let kept = try Connection(program.port)
        kept.write("GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        #expect(kept.read() != nil)
        // A service without descriptors ends when it opens a camera, and another core is busy with failures to accept.
        let crowd = try (0..<400).map { try Connection(program.port, network: UInt32($0 % 8) + 1) }
        #expect(crowd[0].read() == nil)
        #expect(try program.request("POST", "/api/v1/cameras/garden/snap").status == 200)
        #expect(kept.read() != nil)
        let line = try program.get("/metrics").text.split(separator: "\n").first {
            $0.hasPrefix("gst_capture_http_connections ")
        }
        // Connections that gave way count until they are closed.
        #expect(try #require(line.flatMap { Int($0.split(separator: " ")[1]) }) < 100)
        withExtendedLifetime(crowd) {}
    }

    private func number(_ event: EventClient.Event) throws -> Int {
        try #require(event.id.split(separator: "-").last.flatMap { Int($0) })
    }

    @Test("A client that sends requests and never reads is disconnected, and others are served meanwhile")
    func neverReads() throws {
        let program = try ServedProgram(Self.cameras)
        let memory = program.memory
        let client = try Connection(program.port)
        let request = "GET /api/v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        // More than the buffers of both ends: the call returns when the service closes the connection.
        client.write(String(repeating: request, count: 500_000))
        #expect(try program.get("/healthz").status == 200)
        #expect(program.memory < memory + 100 << 20)
    }
}
#endif
