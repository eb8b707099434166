// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit

/// Reports the state of a capture to the service manager: readiness, one line of status, and progress.
actor ServiceNotifier {
    /// The shortest time between two status messages.
    private static let pause = Duration.seconds(1)

    private let manager: ServiceManager
    private var state: ServiceState
    private var lastStatus = ""
    private var quietUntil = ClockTime.zero
    private var statusToCome: Task<Void, Never>?
    private var watch: Task<Void, Never>?

    /// Creates a notifier.
    init(_ manager: ServiceManager, _ schedule: Schedule) {
        self.manager = manager
        state = ServiceState(schedule)
    }

    /// Watches the progress of a capture, if the manager has a watchdog.
    ///
    /// Every half of the watchdog time it reads the capture's pulse, and sends a watchdog message if the capture made
    /// progress, or is stopping. If the capture does not answer, it sends nothing.
    func watch(_ pulse: @escaping @Sendable () async -> Pulse) {
        guard let time = manager.watchdogTime else { return }
        watch = Task {
            var earlier = Pulse()
            while (try? await Task.sleep(for: time / 2, clock: .suspending)) != nil {
                let current = await pulse()
                let hasMoved = current.hasMoved(since: earlier, at: PipelineClock.system.now)
                earlier = current
                await send(state.signOfLife(hasMoved, watchdogTime: time))
            }
        }
    }

    /// Sends the messages that an event causes.
    func follow(_ event: CaptureEvent) async {
        await send(state.apply(event))
        await sendStatus()
    }

    /// Continues with another schedule from this position.
    func follow(_ schedule: Schedule, from position: SeriesPosition?) { state.follow(schedule, from: position) }

    /// Reports that settings are being reloaded.
    func reload() async { await send(state.reload(at: PipelineClock.system.now)) }

    /// Reports that the reload failed and the settings stay as they are.
    func keepSettings() async { await send(state.keepSettings()) }

    /// Reports that the capture is stopping.
    func stop() async {
        await send(state.stop())
        await sendStatus()
    }

    /// Reports the end, and cancels the watchdog and the pending status message. Returns when their tasks have ended.
    func finish() async {
        await stop()
        let tasks = [watch, statusToCome].compactMap(\.self)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private func send(_ messages: [ServiceMessage]) async {
        if !messages.isEmpty { await manager.send(messages) }
    }

    /// Sends the status. A status that changes within `pause` of the last message is sent when the pause is over.
    private func sendStatus() async {
        guard statusToCome == nil else { return }
        let now = PipelineClock.system.now
        guard now >= quietUntil else {
            statusToCome = Task {
                try? await Task.sleep(for: quietUntil - now, clock: .suspending)
                statusToCome = nil
                if !Task.isCancelled { await sendStatus() }
            }
            return
        }
        let status = state.status(at: now, wall: .now())
        guard status != lastStatus else { return }
        (lastStatus, quietUntil) = (status, now + Self.pause)
        await send([.status(status)])
    }
}
