// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import NIOCore
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Connections with clients that are slow, many or gone", .timeLimit(.minutes(1)))
struct ConnectionTests {
    private static let cameras = "  garden: { camera: scene, width: 320, height: 240 }\n"
    private static let controls = "/api/v1/cameras/garden/controls"
    private static let upload = "/api/v1/sessions/booth/upload"

    @Test("A client that does not complete the head of its request is disconnected after 10 seconds")
    func slowHead() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let connection = try await service.connect()
            await connection.write("GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ")
            await connection.advance(by: .seconds(9))
            #expect(try await service.get("/healthz").status == 200)
            #expect(connection.channel.isActive)
            await connection.advance(by: .seconds(1))
            #expect(await connection.read() == nil)
        }
    }

    @Test("A body that stops coming, or that takes too long, is refused with 408")
    func slowBody() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let head = MemoryService.head(
                "PATCH", Self.controls, ["Content-Type: application/json", "Content-Length: 40"])
            let stopped = try await service.connect()
            await stopped.write(head + "{")
            await stopped.advance(by: .seconds(10))
            #expect(MemoryService.Response(await stopped.readToEnd()).status == 408)
            let slow = try await service.connect()
            await slow.write(head.replacing("40", with: "9000") + "{")
            // The service reads the body in its own time.
            while slow.channel.isActive {
                await slow.advance(by: .seconds(4))
                await slow.write(" ")
            }
            #expect(MemoryService.Response(await slow.readToEnd()).status == 408)
        }
    }

    @Test("A body with a malformed chunk, and one that is cut off, are refused with 400")
    func malformedBody() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let fields = ["Content-Type: application/json", "Transfer-Encoding: chunked"]
            let head = MemoryService.head("PATCH", Self.controls, fields)
            let malformed = try await service.send(head + "2\r\n{}\r\nxyz\r\n")
            #expect(malformed.status == 400 && malformed.json["code"] as? String == "usage")
            let cut = try await service.connect()
            await cut.write(head + "5\r\n{")
            await cut.finish()
            #expect(MemoryService.Response(await cut.readToEnd()).status == 400)
        }
    }

    @Test("A client that has sent its request may close its side, and gets the response")
    func halfClosed() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let connection = try await service.connect()
            await connection.write(MemoryService.head("POST", "/api/v1/cameras/garden/snap", []))
            await connection.finish()
            #expect(MemoryService.Response(await connection.readToEnd()).status == 200)
        }
    }

    @Test("Listeners that close their connections leave their places at once")
    func closedListeners() async throws {
        try await MemoryService.run(Self.cameras) { service in
            for _ in 0..<3 {
                var clients: [MemoryEvents] = []
                for _ in 0..<EventListeners.most {
                    let client = try await MemoryEvents(service)
                    #expect(await client.next()?.name == "snapshot")
                    clients.append(client)
                }
                let refused = try await service.get("/api/v1/events")
                #expect(refused.status == 429 && refused.json["code"] as? String == "limit")
                for client in clients { await client.connection.finish() }
                for client in clients { await client.connection.wait() }
            }
        }
    }

    @Test("A listener of another network gets the place of one of a network that has more, and never all of them")
    func fairListeners() async throws {
        try await MemoryService.run(Self.cameras, reach: .network, tokens: ["eye": .view]) { service, fields in
            let field = try #require(fields["eye"])
            var crowd: [MemoryEvents] = []
            for _ in 0..<EventListeners.most {
                crowd.append(try await MemoryEvents(service, from: "198.51.100.1", field))
            }
            let home = try await MemoryEvents(service, from: "198.51.100.2", field)
            #expect(await home.next()?.name == "snapshot")
            #expect(await crowd[0].next() != nil)
            #expect(await crowd[0].next() == nil)
            #expect(crowd[1].connection.channel.isActive)
        }
    }

    @Test("A viewer of another network gets the place of one of a network that has more")
    func fairViewers() async throws {
        try await MemoryService.run(Self.cameras, reach: .network, tokens: ["eye": .view]) { service, fields in
            let head = MemoryService.head("GET", "/stream", [try #require(fields["eye"]), "Host: 192.0.2.1"])
            var crowd: [MemoryConnection] = []
            for _ in 0..<API.mostViewers {
                let viewer = try await service.connect(from: "198.51.100.1")
                await viewer.write(head)
                #expect(await viewer.read() != nil)
                crowd.append(viewer)
            }
            let refused = try await service.connect(from: "198.51.100.1")
            await refused.write(head)
            #expect(MemoryService.Response(await refused.readToEnd()).status == 429)
            let home = try await service.connect(from: "198.51.100.2")
            await home.write(head)
            let first = try #require(await home.read())
            #expect(String(decoding: first, as: UTF8.self).hasPrefix("HTTP/1.1 200"))
            await crowd[0].wait()
            #expect(crowd[1].channel.isActive)
        }
    }

    @Test("Idle connections of other networks give way to a client, and those with requests do not")
    func crowd() async throws {
        try await MemoryService.run(Self.cameras, reach: .network, tokens: ["eye": .view], connections: 4) {
            service, fields in
            let field = try #require(fields["eye"])
            let events = try await MemoryEvents(service, from: "198.51.100.1", field)
            var idle: [MemoryConnection] = []
            for network in 1...3 { idle.append(try await service.connect(from: "198.51.100.\(network)")) }
            let home = try await service.connect(from: "203.0.113.1")
            await home.write(MemoryService.head("GET", "/api/v1/status", [field, "Host: 192.0.2.1"]))
            #expect(MemoryService.Response(await home.readToEnd()).status == 200)
            #expect(await idle[0].read() == nil)
            #expect(events.connection.channel.isActive && idle[1].channel.isActive)
        }
    }

    @Test("Four slow uploads give way to other clients, and get 503")
    func slowUploads() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let head = MemoryService.head("POST", Self.upload, ["Content-Type: image/jpeg", "Content-Length: 9000"])
            var slow: [MemoryConnection] = []
            for _ in 0..<UploadPlaces.most {
                let connection = try await service.connect(from: "198.51.100.1")
                await connection.write(head + "a")
                slow.append(connection)
                // The oldest upload gives way; requests that come together have any order.
                while service.api.bodies.uploadCount < slow.count { await Task.yield() }
            }
            let early = try await service.connect()
            await early.write(head + "a")
            #expect(MemoryService.Response(await early.readToEnd()).status == 503)
            let other = try await service.connect()
            await other.advance(by: .seconds(6))
            await other.write(head + String(repeating: "a", count: 9000))
            #expect(MemoryService.Response(await other.readToEnd()).status == 422)
            #expect(MemoryService.Response(await slow[0].readToEnd()).status == 503)
        }
    }
}
#endif
