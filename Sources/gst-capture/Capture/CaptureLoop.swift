// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc
import OverlayCompositor
import PipelineKit

/// Runs a capture controller, handles signals and keys, and continues with new settings after SIGHUP.
actor CaptureLoop {
    /// The configuration and the hooks that replace the current ones after a reload.
    typealias Successor = (configuration: CaptureConfiguration, hooks: HookCommands)
    /// Reads the settings again.
    typealias Reload = @Sendable () async throws(CaptureError) -> Successor

    private let reporter: EventReporter
    private let reload: Reload?
    private let rasterizer: (any Rasterizer)?
    private let hooks: HookRunner
    private let service: ServiceNotifier?
    private var desk: PreviewDesk?
    private var previewFailure: CaptureError?

    private var controller: CaptureController
    private var successor: Successor?
    private var progress: SeriesProgress
    private var account = CaptureSummary()
    private let isResumed: Bool
    private var stops = 0
    private var reloading: Task<Void, Never>?
    private var isReloadWanted = false
    /// `true` from the attempt to open the camera until an event shows that it is open.
    private var isOpening = false
    private var isConcluding = false
    private var stopSignal: Int32?

    /// Creates the loop.
    ///
    /// - Parameters:
    ///   - reload: Reads the settings again on SIGHUP; `nil` if SIGHUP stops the capture, as SIGTERM does.
    ///   - rasterizer: Draws layers; `nil` if it is not installed.
    ///   - desk: Handles keys; `nil` if there is no preview.
    ///   - hooks: Runs the user's commands.
    ///   - service: Reports to the service manager; `nil` if there is none.
    init(
        _ configuration: CaptureConfiguration, reporter: EventReporter, reload: Reload?,
        rasterizer: (any Rasterizer)?, desk: PreviewDesk? = nil, hooks: HookRunner, service: ServiceNotifier? = nil
    ) {
        var configuration = configuration
        configuration.overlay = desk?.layers ?? configuration.overlay
        self.reporter = reporter
        self.reload = reload
        self.rasterizer = rasterizer
        self.desk = desk
        self.hooks = hooks
        self.service = service
        progress = SeriesProgress(configuration.position)
        isResumed = configuration.position != nil
        controller = CaptureController(configuration, rasterizer: rasterizer)
    }

    /// Runs until all slots are done, or a signal ends the capture.
    func run(_ signals: AsyncStream<Int32>) async -> ExitStatus {
        await withTaskGroup { group in
            group.addTask { for await signal in signals { await self.receive(signal) } }
            defer { group.cancelAll() }
            await runAll()
            // A signal can still cut short the wait for hooks.
            return await conclude()
        }
    }

    private func runAll() async {
        await withTaskGroup { group in
            if reporter.isLive { group.addTask { await self.tick() } }
            if desk != nil { group.addTask { await self.type() } }
            group.addTask { for await loss in DisplayLoss.losses { await self.lose(loss) } }
            await service?.watch { [weak self] in await self?.controller.pulse ?? Pulse() }
            repeat { await runOnce() } while await takeOver()
            group.cancelAll()
        }
    }

    private func conclude() async -> ExitStatus {
        isConcluding = true
        await service?.stop()
        let waiting = Task { await reportHooks() }
        await hooks.finish()
        waiting.cancel()
        await service?.finish()
        if let previewFailure, account.ending == .stopped { account.ending = .failed(previewFailure) }
        if case .failed(let error) = account.ending { reporter.report(.error(error)) }
        if isResumed, account.isComplete {
            let message = "the series is complete: each of its slots is accounted for"
            reporter.report(.notice(Notice(.seriesComplete, message)))
        }
        reporter.show(.finished(account))
        await reporter.finish(within: stops > 0 ? Self.patience : nil)
        return ExitStatus(account, stoppedBy: stopSignal)
    }

    /// Reports hooks that run for more than a second; most commands are done by then.
    private func reportHooks() async {
        guard (try? await Task.sleep(for: .seconds(1))) != nil, let names = await hooks.runningNames else { return }
        let advice = stops > 0 ? "a second signal ends it" : nil
        reporter.report(.notice(Notice(.stopping, about: names, "waiting for \(names)", advice: advice)))
    }

    private func runOnce() async {
        async let summary = controller.run()
        for await event in controller.events {
            progress.record(event)
            await follow(event)
            await hooks.follow(event)
            // After a reload another controller continues. `conclude()` reports the end of the last one.
            if case .finished = event { continue }
            await service?.follow(event)
            reporter.show(event)
        }
        account.add(await summary)
    }

    /// Replaces the controller after a reload; returns `false` if there is nothing to continue.
    private func takeOver() async -> Bool {
        guard var next = successor, account.ending == .stopped, stopSignal == nil else { return false }
        // The picture that was being taken during the reload is done by now, so `progress` includes it.
        (successor, next.configuration.position) = (nil, progress.position)
        await controller.handOver(to: &next.configuration)
        controller = CaptureController(next.configuration, rasterizer: rasterizer)
        reporter.follow(next.configuration.schedule, from: progress.position)
        await service?.follow(next.configuration.schedule, from: progress.position)
        await hooks.use(next.hooks)
        return true
    }

    private func tick() async {
        while (try? await Task.sleep(for: .seconds(1))) != nil { reporter.refresh() }
    }
}

// MARK: - Signals

extension CaptureLoop {
    private func receive(_ signal: Int32) async {
        switch signal {
        case SIGWINCH: reporter.refresh()
        case SIGUSR1: await controller.trigger()
        case SIGUSR2: await finish(signal)
        case SIGTSTP: await suspend()
        case SIGCONT: await resume()
        case SIGHUP where reload != nil: readAgain()
        default: await stop(signal)
        }
    }

    private func finish(_ signal: Int32) async {
        successor = nil
        stopSignal = stopSignal ?? signal
        await controller.finish()
    }

    /// How long to wait for a camera that hangs, or a reader that stalls.
    private static let patience = Duration.seconds(2)

    private func stop(_ signal: Int32) async {
        stops += 1
        reloading?.cancel()
        // While the loop concludes, the reader of its output can block it.
        if isConcluding { StandardStream.waitNoLonger() }
        switch stops {
        case 1:
            await service?.stop()
            reporter.report(
                .notice(
                    Notice(
                        .stopping, "stopping after the current picture", advice: "a second signal stops at once")))
            await finish(signal)
            endInTime(signal)
        case 2:
            Task { await leave(128 + signal) }
            await controller.cancel()
            await hooks.cancel()
        default:
            await hooks.cancel()
            ExitStatus(code: 128 + signal).leave()
        }
    }

    /// Limits how long a stop takes.
    ///
    /// If the camera hangs while it is being opened, the process ends without it: there are no pictures to wait for.
    /// After SIGTERM the loop also abandons a picture whose storing hangs, because SIGTERM ends every phase within five
    /// seconds.
    private func endInTime(_ signal: Int32) {
        guard isOpening || signal == SIGTERM else { return }
        Task {
            guard (try? await Task.sleep(for: Self.patience)) != nil, !isConcluding else { return }
            if !isOpening {
                guard signal == SIGTERM else { return }
                await controller.cancel()
                guard (try? await Task.sleep(for: Self.patience / 4)) != nil, !isConcluding else { return }
            }
            await controller.rescue(.stopped)
            account.ending = .stopped
            await conclude().leave()
        }
    }

    /// Ends the process if it does not end by itself.
    private func leave(_ code: Int32) async {
        guard (try? await Task.sleep(for: Self.patience * 2)) != nil else { return }
        StandardStream.waitNoLonger()
        ExitStatus(code: code).leave()
    }

    /// Reads the settings again in a separate task: it asks drivers, which may hang, and the next signal must not wait
    /// for them.
    private func readAgain() {
        guard let reload, stops == 0 else { return }
        guard reloading == nil else {
            isReloadWanted = true
            return
        }
        reloading = Task {
            repeat {
                isReloadWanted = false
                await readAgain(by: reload)
            } while isReloadWanted
            reloading = nil
        }
    }

    private func readAgain(by reload: Reload) async {
        await service?.reload()
        do throws(CaptureError) {
            let next = try await reload()
            guard stops == 0 else { return }
            successor = next
            reporter.report(.notice(Notice(.settingsReloaded, "settings reloaded")))
            await controller.finish()
        } catch {
            guard stops == 0 else { return }
            reporter.report(
                .notice(Notice(.reloadRefused, about: error.subject, "settings not reloaded", because: error)))
            await service?.keepSettings()
        }
    }

    /// Handles Ctrl-Z: restores the terminal for the shell, then stops the process.
    private func suspend() async {
        KeyTerminal.restore()
        SignalListener.stop()
    }

    private func resume() async {
        if desk != nil { KeyTerminal.acquire() }
        reporter.refresh()
    }
}

// MARK: - The preview

extension CaptureLoop {
    private func type() async {
        KeyTerminal.acquire()
        for await key in KeyTerminal.keys() { await press(key) }
    }

    private func press(_ key: PreviewKey) async {
        guard let answer = desk?.press(key) else { return }
        reporter.report(.key(key, answer))
        if let act = answer.act { await carryOut(act) }
    }

    private func carryOut(_ act: PreviewDesk.Act) async {
        switch act {
        case .take: await controller.trigger()
        case .timer(let delay): await controller.trigger(after: delay)
        case .repetition(let interval): await controller.repeatPictures(every: interval)
        case .mirror(let isOn): controller.mirrorPreview(isOn)
        case .draw(let layers): controller.show(layers)
        case .finish: await controller.finish()
        }
    }

    private func follow(_ event: CaptureEvent) async {
        if let layers = desk?.handle(event) { controller.show(layers) }
        switch event {
        case .opening: isOpening = true
        case .settled, .willCapture, .captured, .missed, .failed, .previewing: isOpening = false
        default: break
        }
        switch event {
        case .previewing: DisplayLoss.watch()
        case .key(let name): if let key = PreviewKey(windowKey: name) { await press(key) }
        case .previewEnded(let error):
            previewFailure = error
            await controller.finish()
        default: break
        }
    }

    /// Ends the capture after its window or display is lost. The threads that show the preview on a lost display hang,
    /// so the loop waits only for the picture in progress.
    private func lose(_ loss: DisplayLoss) async {
        guard loss == .display else { return await controller.finish() }
        previewFailure = .lostDisplay
        await controller.finish()
        try? await Task.sleep(for: .seconds(2))
        guard !Task.isCancelled else { return }
        await controller.rescue(.failed(.lostDisplay))
        account.ending = .stopped
        await conclude().leave()
    }
}

extension CaptureSummary {
    /// `true` if a resumed series had nothing left to do.
    fileprivate var isComplete: Bool { ending == .completed && captured + missed + failed == 0 }

    /// Adds the summary of the next controller.
    fileprivate mutating func add(_ next: CaptureSummary) {
        ending = next.ending
        captured += next.captured
        late += next.late
        missed += next.missed
        failed += next.failed
        removed += next.removed
        firstFailure = firstFailure ?? next.firstFailure
    }
}
