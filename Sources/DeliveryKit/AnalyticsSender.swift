// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import AnalyticsKit
import CaptureBase
import Logging
import ServiceLifecycle
import SystemBase

/// Delivers the product events of the service, one after the other, to a webhook and an MQTT broker. An event stays in the
/// queue until both have it, or it is too old. A queue that cannot be opened is tried again; the cameras do not wait for it.
package struct AnalyticsSender: Service {
    /// Delivers an event to one receiver.
    package typealias Deliver = @Sendable (AnalyticsQueue.Entry) async -> DeliveryOutcome

    private let queue: AnalyticsQueue
    private let receivers: [Deliver]
    private let logger: Logger

    /// The pauses after failures double from this one to the longest.
    private let firstPause: Duration

    private static let longestPause = Duration.seconds(3600)
    /// The pause between attempts to open the queue.
    private static let openingPause = Duration.seconds(60)

    package init(
        _ queue: AnalyticsQueue, _ receivers: [Deliver], _ logger: Logger, firstPause: Duration = .seconds(5)
    ) {
        (self.queue, self.receivers, self.logger, self.firstPause) = (queue, receivers, logger, firstPause)
    }

    /// Runs until the service shuts down. Events that were not delivered by then stay in the queue.
    package func run() async throws {
        await withGracefulShutdownHandler {
            guard await open() else { return }
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

    /// Opens the queue. Returns `false` if the service shuts down before.
    private func open() async -> Bool {
        var lastError: CaptureError?
        while true {
            do throws(CaptureError) {
                try await queue.open()
                if lastError != nil { logger.notice("product events are stored again") }
                return true
            } catch {
                if error != lastError { logger.error("product events wait: \(error)") }
                lastError = error
            }
            let hasPaused: Void? = try? await cancelWhenGracefulShutdown {
                try await Task.sleep(for: Self.openingPause, clock: .suspending)
            }
            guard hasPaused != nil else { return false }
        }
    }

    private func deliverAll() async {
        var arrivals = queue.arrivals.makeAsyncIterator()
        var pause = firstPause
        // A receiver can be away for days: each reason is logged once.
        var lastReason: String?
        var progress = Progress()
        while !Task.isCancelled {
            do throws(CaptureError) {
                guard let entry = try await queue.next() else {
                    guard await arrivals.next() != nil else { return }
                    continue
                }
                switch await deliver(entry, &progress) {
                case .delivered:
                    (pause, lastReason) = (firstPause, nil)
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

    /// The receivers that have an event, and the refusal of one. It ends with the process: a receiver may then get the
    /// event twice.
    private struct Progress {
        private(set) var entry: AnalyticsQueue.Entry?
        var receivers: Set<Int> = []
        var refusal: DeliveryOutcome?

        init(_ entry: AnalyticsQueue.Entry? = nil) { self.entry = entry }
    }

    /// Delivers an event to the receivers that do not have it. The worst outcome counts.
    private func deliver(_ entry: AnalyticsQueue.Entry, _ progress: inout Progress) async -> DeliveryOutcome {
        if progress.entry != entry { progress = Progress(entry) }
        var failure: DeliveryOutcome?
        for (index, receiver) in receivers.enumerated() where !progress.receivers.contains(index) {
            switch await receiver(entry) {
            case .delivered: progress.receivers.insert(index)
            case .refused(let reason):
                progress.receivers.insert(index)
                progress.refusal = .refused(reason)
            case .failed(let reason, let pause): failure = failure ?? .failed(reason, pause: pause)
            }
        }
        return failure ?? progress.refusal ?? .delivered
    }
}
#endif
