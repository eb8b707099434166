// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Requests that wait", .timeLimit(.minutes(1)))
struct PendingRequestTests {
    @Test("A countdown ends when its client has gone")
    func gone() async throws {
        try await MemoryService.run("  garden: { camera: scene, width: 320, height: 240 }\n") { memory in
            let events = memory.service.listen()
            let connection = try await memory.connect()
            await connection.write(MemoryService.head("POST", "/api/v1/cameras/garden/snap?delay=1h", []))
            for await event in events where event.event.kind == "opening" { break }
            connection.close()
            await connection.wait()
            #expect(try await memory.service.callOff("garden") == 0)
        }
    }

    @Test("A thumbnail whose client has gone is not made, and the connection of one that stays is used again")
    func thumbnail() async throws {
        let cameras = "  garden: { camera: scene, width: 320, height: 240, output: \"FOLDER/%n.jpg\" }\n"
        try await MemoryService.run(cameras) { memory in
            #expect(try await memory.request("POST", "/api/v1/cameras/garden/snap").status == 201)
            let thumbnails = memory.api.thumbnails
            // Another picture is being made until the test ends it.
            let gate = DispatchSemaphore(value: 0)
            async let other: [UInt8]? = try? thumbnails.thumbnail(of: "other", tag: "other", .jpeg) {
                () throws(CaptureError) in
                gate.wait()
                throw CaptureError(.noInput, "there is no file")
            }
            let head = "GET /api/v1/stills/garden-1/thumbnail HTTP/1.1\r\nHost: localhost:8080\r\n\r\n"
            for leave in [{ $0.close() }, { await $0.finish() }] as [@Sendable (MemoryConnection) async -> Void] {
                let connection = try await memory.connect()
                await connection.write(head)
                while await thumbnails.pendingCount < 2 { await Task.yield() }
                await leave(connection)
                while await thumbnails.pendingCount > 1 { await Task.yield() }
            }
            gate.signal()
            #expect(await other == nil)
            let connection = try await memory.connect()
            for _ in 0..<2 {
                await connection.write(head)
                #expect(await connection.read()?.starts(with: "HTTP/1.1 200".utf8) == true)
                while let part = await connection.read(), part.suffix(2) != Data([0xFF, 0xD9]) {}
            }
            connection.close()
        }
    }
}
#endif
