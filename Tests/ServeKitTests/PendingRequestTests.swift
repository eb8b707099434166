// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
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
}
#endif
