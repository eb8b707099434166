// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import PipelineKit
import ServiceKit
import ServiceLifecycle
import SystemBase

/// Reports to systemd: readiness when all servers listen, reloads, the end, a line of status, and progress.
actor ServeNotifier: Service {
    private enum Phase {
        case starting, ready, stopping
    }

    private let manager: ServiceManager
    private let service: CaptureService
    private var phase = Phase.starting
    /// How many servers do not listen yet.
    private var missingServers: Int

    /// The shortest time between two lines of status.
    private static let pause = Duration.seconds(1)

    /// - Parameter servers: The number of servers.
    /// - Returns: `nil` if no service manager started the program.
    init?(_ service: CaptureService, servers: Int) {
        guard let manager = ServiceManager() else { return nil }
        (self.manager, self.service, missingServers) = (manager, service, servers)
    }

    /// Reports that a server listens; the service is ready with the last one. Lost cameras do not delay it.
    func listens() async {
        missingServers -= 1
        guard missingServers == 0, phase == .starting else { return }
        phase = .ready
        await manager.send([.ready])
    }

    /// Reports the begin of a reload. ``reloaded()`` must follow.
    func reloads() async {
        if phase == .ready { await manager.send([.reloading(PipelineClock.system.now)]) }
    }

    /// Reports the end of a reload, even if it failed and changed nothing.
    func reloaded() async {
        if phase == .ready { await manager.send([.ready]) }
    }

    /// Reports that the service is stopping.
    func stops() async {
        guard phase != .stopping else { return }
        phase = .stopping
        await manager.send([.stopping])
    }

    /// Sends the status after events, and watchdog messages, until the series have ended.
    func run() async throws {
        await withTaskGroup { group in
            group.addTask { await self.sendStatus() }
            group.addTask { await self.sendSignsOfLife() }
            // The events end with the last series.
            await group.next()
            group.cancelAll()
        }
        await stops()
    }

    private func sendStatus() async {
        var last = ""
        // The stream keeps the newest event alone, so the last change is never skipped.
        for await _ in service.listen(buffering: 1) {
            let line = await service.status.line
            if line != last { await manager.send([.status(line)]) }
            last = line
            try? await Task.sleep(for: Self.pause, clock: .suspending)
        }
    }

    /// Sends a message every half of the watchdog's time while all series make progress. If the service does not answer
    /// because a call blocks it, nothing is sent.
    private func sendSignsOfLife() async {
        guard let time = manager.watchdogTime else {
            // There is nothing to do; the other task determines the end.
            for await _ in service.listen(buffering: 1) {}
            return
        }
        var vitality = ServiceVitality()
        while (try? await Task.sleep(for: time / 2, clock: .suspending)) != nil {
            let status = await service.status
            let stuck = vitality.stuck(status.series, at: PipelineClock.system.now, within: time)
            // The manager has a separate timeout for stopping.
            if stuck.isEmpty || phase == .stopping { await manager.send([.watchdog]) }
        }
    }
}
#endif
