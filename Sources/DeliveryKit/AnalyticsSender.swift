// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import AnalyticsKit
import CaptureBase
import Logging
import ScheduleKit
import ServiceLifecycle
import SystemBase
import UploadKit

/// Delivers the product events of the service to receivers, such as a webhook and an MQTT broker, each at its own pace. An
/// event stays in the queue until all of them have it or refuse it, or it is too old. A queue that cannot be opened is
/// tried again; the cameras do not wait for it.
package struct AnalyticsSender: Service {
    private let queue: AnalyticsQueue
    private let receivers: [EventReceiver]
    private let logger: Logger
    private let clock: DeliveryClock

    /// The pause between attempts to open the queue.
    private static let openingPause = Duration.seconds(60)

    package init(_ queue: AnalyticsQueue, _ receivers: [EventReceiver], _ logger: Logger) {
        self.init(queue, receivers, logger, .machine)
    }

    init(_ queue: AnalyticsQueue, _ receivers: [EventReceiver], _ logger: Logger, _ clock: DeliveryClock) {
        (self.queue, self.receivers, self.logger, self.clock) = (queue, receivers, logger, clock)
    }

    /// Runs until the service shuts down. Events that were not delivered by then stay in the queue.
    package func run() async throws {
        await withGracefulShutdownHandler {
            guard await open() else { return }
            let deliveries = receivers.map { EventDelivery(queue, $0, clock, logger) }
            await withDiscardingTaskGroup { group in
                for delivery in deliveries { group.addTask { await delivery.run() } }
                group.addTask { for await _ in queue.arrivals { for delivery in deliveries { await delivery.grow() } } }
                group.addTask { await followMachine { input in for one in deliveries { await one.handle(input) } } }
                await queue.run { logger.error("event lost: \($0)") }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            queue.finish()
        }
    }

    /// Reports changes of the clock and the network: a receiver that is away because of them is tried at once.
    private func followMachine(_ report: @escaping @Sendable (OutboxMachine.Input) async -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await change in ClockWatch.changes(since: .now()) {
                    if case .set = change { await report(.clockStepped) } else { await report(.networkChanged) }
                }
            }
            group.addTask { for await _ in NetworkWatch.changes() { await report(.networkChanged) } }
        }
    }

    /// Opens the queue. Returns `false` if the service shuts down before.
    private func open() async -> Bool {
        var lastError: CaptureError?
        while true {
            do throws(CaptureError) {
                try await queue.open(for: receivers.map(\.name))
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
}
#endif
