// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit

/// Tells the service manager how a capture does: ready, one line of status, and that it really makes progress.
actor ServiceNotifier {
    /// No status follows another sooner.
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

    /// Watches over a capture where the manager asks for it: a sign of life is passed on at half of its time where there
    /// is one, and else none. A capture that does not answer gives none.
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

    /// Passes on what an event means.
    func follow(_ event: CaptureEvent) async {
        await send(state.apply(event))
        await tellStatus()
    }

    /// Another schedule is followed from now on, from there.
    func follow(_ schedule: Schedule, from position: SeriesPosition?) { state.follow(schedule, from: position) }

    /// Settings are read anew.
    func reload() async { await send(state.reload(at: PipelineClock.system.now)) }

    /// Nothing came of that.
    func keepSettings() async { await send(state.keepSettings()) }

    /// The end begins.
    func stop() async {
        await send(state.stop())
        await tellStatus()
    }

    /// All is over.
    func finish() async {
        await stop()
        watch?.cancel()
        statusToCome?.cancel()
    }

    private func send(_ messages: [ServiceMessage]) async {
        if !messages.isEmpty { await manager.send(messages) }
    }

    /// What changes within the pause is told after it.
    private func tellStatus() async {
        guard statusToCome == nil else { return }
        let now = PipelineClock.system.now
        guard now >= quietUntil else {
            statusToCome = Task {
                try? await Task.sleep(for: quietUntil - now, clock: .suspending)
                statusToCome = nil
                if !Task.isCancelled { await tellStatus() }
            }
            return
        }
        let status = state.status(at: now, wall: .now())
        guard status != lastStatus else { return }
        (lastStatus, quietUntil) = (status, now + Self.pause)
        await send([.status(status)])
    }
}
