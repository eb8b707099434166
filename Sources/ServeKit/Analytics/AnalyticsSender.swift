// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Logging
import ServiceKit
import ServiceLifecycle
import SystemBase

/// Delivers the product events of the service, one after the other, to a webhook or an MQTT broker. An event stays in the
/// queue until it is delivered, or is too old.
struct AnalyticsSender: Service {
    /// Delivers an event to one receiver.
    typealias Deliver = @Sendable (AnalyticsQueue.Entry) async -> Webhook.Outcome

    private let queue: AnalyticsQueue
    private let receivers: [Deliver]
    private let logger: Logger

    /// The pauses after failures: they double from the first to the longest.
    private static let (firstPause, longestPause) = (Duration.seconds(5), Duration.seconds(3600))

    init(_ queue: AnalyticsQueue, _ receivers: [Deliver], _ logger: Logger) {
        (self.queue, self.receivers, self.logger) = (queue, receivers, logger)
    }

    /// Runs until the service shuts down. Events that were not delivered by then stay in the queue.
    func run() async throws {
        await withGracefulShutdownHandler {
            await withTaskGroup { group in
                group.addTask { await queue.run { logger.error("event lost: \($0)") } }
                group.addTask { await deliverAll() }
                await group.next()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            queue.finish()
        }
    }

    private func deliverAll() async {
        var arrivals = queue.arrivals.makeAsyncIterator()
        var pause = Self.firstPause
        // A receiver can be away for days: each reason is logged once.
        var lastReason: String?
        while !Task.isCancelled {
            do throws(CaptureError) {
                guard let entry = try await queue.next() else {
                    guard await arrivals.next() != nil else { return }
                    continue
                }
                switch await deliver(entry) {
                case .delivered:
                    (pause, lastReason) = (Self.firstPause, nil)
                    try await queue.remove(entry, isDelivered: true)
                case .refused(let reason):
                    logger.warning("event refused: \(reason)", metadata: ["id": "\(entry.id)"])
                    try await queue.remove(entry, isDelivered: false)
                case .failed(let reason, let wanted):
                    if reason != lastReason, !Task.isCancelled { logger.warning("events wait: \(reason)") }
                    lastReason = reason
                    try? await Task.sleep(for: max(pause, wanted ?? .zero), clock: .suspending)
                    pause = min(pause * 2, Self.longestPause)
                }
            } catch {
                logger.error("events wait: \(error)")
                try? await Task.sleep(for: Self.longestPause, clock: .suspending)
            }
        }
    }

    /// Delivers an event to all receivers. The worst outcome counts; a receiver may get an event twice.
    private func deliver(_ entry: AnalyticsQueue.Entry) async -> Webhook.Outcome {
        var refusal: Webhook.Outcome?
        for receiver in receivers {
            switch await receiver(entry) {
            case .delivered: break
            case .refused(let reason): refusal = .refused(reason)
            case .failed(let reason, let pause): return .failed(reason, pause: pause)
            }
        }
        return refusal ?? .delivered
    }
}
#endif
