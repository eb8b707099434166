// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import AnalyticsKit
import CaptureTestSupport
import Logging
import Synchronization
import Testing

@testable import DeliveryKit

@Suite("Delivery of product events", .timeLimit(.minutes(1)))
struct AnalyticsSenderTests {
    @Test("A receiver that has an event does not get it again while the other one is away")
    func away() async throws {
        let folder = try TemporaryFolder()
        let queue = AnalyticsQueue(path: folder.path + "/analytics.db", keepFor: .seconds(3600))
        let counts = Mutex((webhook: 0, broker: 0))
        let sender = AnalyticsSender(
            queue,
            [
                { _ in
                    counts.withLock { $0.webhook += 1 }
                    return .delivered
                },
                { _ in
                    let count = counts.withLock { counts in
                        counts.broker += 1
                        return counts.broker
                    }
                    if count == 3 { queue.finish() }
                    return count < 3 ? .failed("away", pause: nil) : .delivered
                },
            ], Logger(label: "test"), firstPause: .milliseconds(1))
        queue.record(ProductEvent(type: "session.opened", time: .now(), data: []))
        try await sender.run()
        let (webhook, broker) = counts.withLock { ($0.webhook, $0.broker) }
        #expect(webhook == 1 && broker >= 3)
    }
}
#endif
