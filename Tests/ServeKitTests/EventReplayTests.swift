// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ServiceKit
import Testing

@Suite("Replay of events", .timeLimit(.minutes(2)))
struct EventReplayTests {
    private static let cameras = """
          garden:
            camera: scene
            width: 320
            height: 240
            series:
              quick: { interval: 1h, output: "FOLDER/%05n.jpg" }

        """

    @Test("A client that was away for thousands of events gets each of them")
    func all() async throws {
        try await MemoryService.run(Self.cameras) { service in
            for _ in 0..<1500 {
                try await service.service.pause("quick")
                try await service.service.resume("quick")
            }
            let last = await service.service.status.lastEvent
            try #require(last > 2500 && last < CaptureService.keptEvents)
            let epoch = service.service.epoch
            let client = try await MemoryEvents(service, "", "Last-Event-ID: \(epoch)-0")
            #expect(client.text.contains(": continues"))
            for number in 1...last {
                let event = try #require(await client.next())
                guard event.id == "\(epoch)-\(number)" else {
                    Issue.record("\(event.id) instead of \(number)")
                    return
                }
            }
        }
    }
}
#endif
