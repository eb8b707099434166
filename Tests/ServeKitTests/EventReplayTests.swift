// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ServiceKit
import Testing

@Suite("Replay of events", .timeLimit(.minutes(2)))
struct EventReplayTests {
    private static let cameras = """
          garden:
            camera: /dev/video4242
            series:
              quick: { interval: 1h, output: "FOLDER/%05n.jpg" }

        """

    @Test("A client that was away for thousands of events gets each of them")
    func all() async throws {
        try await MemoryService.run(Self.cameras) { service in
            var events = service.service.listen().makeAsyncIterator()
            for _ in 0..<1100 {
                try await service.service.pause("quick")
                while let event = await events.next(), !"\(event.event.json)".contains("paused") {}
                try await service.service.resume("quick")
                while let event = await events.next(), !"\(event.event.json)".contains("waiting") {}
            }
            let last = await service.service.status.lastEvent
            try #require(last > 2200 && last < CaptureService.keptEvents)
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
