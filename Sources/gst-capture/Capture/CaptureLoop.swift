// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import ClipKit
import FilmStore
import Glibc
import HookKit
import OverlayCompositor
import PipelineKit
import TerminalKit

/// Runs a capture controller, handles signals and keys, and continues with new settings after SIGHUP.
actor CaptureLoop {
    /// The configuration and the hooks that replace the current ones after a reload.
    typealias Successor = (configuration: CaptureConfiguration, hooks: HookCommands)
    /// Reads the settings again.
    typealias Reload = @Sendable () async throws(CaptureError) -> Successor

    /// How far the end has come. A phase never follows a later one.
    private enum Phase: Comparable {
        /// A controller runs, and a reload replaces it.
        case running
        /// A signal, a key or a lost window finishes or stops the capture: no reload continues it.
        case finishing
        /// The last controller has ended.
        case over
        /// The end is being reported.
        case concluding
        /// The sums were reported: later events would not agree with them.
        case reported
    }

    private let reporter: EventReporter
    private let reload: Reload?
    private let rasterizer: (any Rasterizer)?
    private let hooks: HookRunner
    private let service: ServiceNotifier?
    private let films: DayFilms?
    /// Completes when the films have ended.
    private let filmsEnd = Completion()
    private var desk: PreviewDesk?
    /// `true` if a program sends requests on standard input, instead of a user who presses keys.
    private let requests: RequestChannel?
    private var previewFailure: CaptureError?

    private var controller: CaptureController
    private var successor: Successor?
    private var progress: SeriesProgress
    /// The sum of all controllers. For the running one, it counts the events that were printed.
    private var account = CaptureSummary()
    private let isResumed: Bool
    /// `false` for a single picture.
    private let isSeries: Bool
    private var stops = 0
    private var reloading: Task<Void, Never>?
    private var isReloadWanted = false
    /// `true` from the attempt to open the camera until an event shows that it is open.
    private var isOpening = false
    private var phase = Phase.running
    /// Reports the end; `nil` before `concluding`.
    private var conclusion: Task<ExitStatus, Never>?
    private var stopSignal: Int32?
    /// Limits how long a stop takes; ends with ``run(_:)``.
    private let deadlines = TaskScope()

    /// Creates the loop.
    ///
    /// - Parameters:
    ///   - reload: Reads the settings again on SIGHUP; `nil` if SIGHUP stops the capture, as SIGTERM does.
    ///   - rasterizer: Draws layers; `nil` if it is not installed.
    ///   - desk: Handles keys and requests; `nil` if there is no preview.
    ///   - requests: The requests of programs, which take the place of keys; `nil` for keys.
    ///   - hooks: Runs the user's commands.
    ///   - service: Reports to the service manager; `nil` if there is none.
    ///   - films: Makes films of the pictures; `nil` for none.
    init(
        _ configuration: CaptureConfiguration, reporter: EventReporter, reload: Reload?,
        rasterizer: (any Rasterizer)?, desk: PreviewDesk? = nil, requests: RequestChannel? = nil, hooks: HookRunner,
        service: ServiceNotifier? = nil, films: DayFilms? = nil
    ) {
        var configuration = configuration
        configuration.overlay = desk?.layers ?? configuration.overlay
        self.reporter = reporter
        self.reload = reload
        self.rasterizer = rasterizer
        (self.desk, self.requests) = (desk, requests)
        self.hooks = hooks
        (self.service, self.films) = (service, films)
        progress = SeriesProgress(configuration.position)
        isResumed = configuration.position != nil
        isSeries = configuration.schedule.interval != nil || configuration.schedule.isOnRequest
        controller = CaptureController(
            configuration, rasterizer: rasterizer, motion: LiveMotion(configuration, rasterizer))
    }

    /// Runs until all slots are done, or a signal ends the capture.
    func run(_ signals: AsyncStream<Int32>) async -> ExitStatus {
        await withTaskGroup { group in
            group.addTask { for await signal in signals { await self.receive(signal) } }
            group.addTask { await self.deadlines.run() }
            group.addTask { await self.makeFilms() }
            defer { group.cancelAll() }
            await runAll()
            // A signal can still cut short the wait for hooks.
            return await conclude()
        }
    }

    private func runAll() async {
        await withTaskGroup { group in
            if reporter.isLive { group.addTask { await self.tick() } }
            if requests != nil {
                group.addTask { await self.handleRequests() }
            } else if desk != nil {
                group.addTask { await self.type() }
            }
            group.addTask { for await loss in DisplayLoss.losses { await self.lose(loss) } }
            await service?.watch { [weak self] in await self?.controller.pulse ?? Pulse() }
            repeat { await runOnce() } while await takeOver()
            advance(to: .over)
            group.cancelAll()
        }
    }

    /// Reports the end once; later calls return the same status.
    private func conclude() async -> ExitStatus {
        advance(to: .concluding)
        let conclusion = self.conclusion ?? Task { await reportEnd() }
        self.conclusion = conclusion
        return await conclusion.value
    }

    private func advance(to next: Phase) { phase = max(phase, next) }

    private func reportEnd() async -> ExitStatus {
        await service?.stop()
        let waiting = Task { await reportHooks() }
        await hooks.finish()
        await films?.finish(isComplete: account.ending == .completed)
        await filmsEnd.wait()
        waiting.cancel()
        await service?.finish()
        if let previewFailure, account.ending == .stopped { account.ending = .failed(previewFailure) }
        if case .failed(let error) = account.ending { reporter.report(.error(error)) }
        if isResumed, account.isComplete {
            let message = "the series is complete: each of its slots is accounted for"
            reporter.report(.notice(Notice(.seriesComplete, message)))
        }
        let summary = account
        reporter.show(.finished(summary))
        advance(to: .reported)
        await reporter.finish(within: stops > 0 ? Self.patience : nil)
        return ExitStatus(summary, stoppedBy: stopSignal)
    }

    /// Reports hooks that run for more than a second; most commands are done by then.
    private func reportHooks() async {
        guard (try? await Task.sleep(for: .seconds(1))) != nil, let names = await hooks.runningNames else { return }
        let advice = stops > 0 ? "a second signal ends it" : nil
        reporter.report(.notice(Notice(.stopping, about: names, "waiting for \(names)", advice: advice)))
    }

    private func makeFilms() async {
        await films?.run()
        filmsEnd.complete()
    }

    private func runOnce() async {
        async let summary = controller.run()
        let earlier = account
        for await event in controller.events { await handle(event) }
        // Exact even if this loop was so far behind that the controller dropped events.
        let sum = earlier.adding(await summary)
        account = sum
    }

    private func handle(_ event: CaptureEvent) async {
        progress.record(event)
        if case .captured = event { films?.wake() }
        await follow(event)
        await hooks.follow(event)
        // After a reload another controller continues. `conclude()` reports the end of the last one.
        if case .finished = event { return }
        await service?.follow(event)
        // `finished` is the last event, and has the sums of those before it.
        guard phase < .reported else { return }
        account.account(for: event)
        reporter.show(event)
    }

    /// Replaces the controller after a reload; returns `false` if there is nothing to continue.
    private func takeOver() async -> Bool {
        guard let next = await nextInLine() else { return false }
        controller = CaptureController(
            next.configuration, rasterizer: rasterizer, motion: LiveMotion(next.configuration, rasterizer))
        reporter.follow(next.configuration.schedule, from: progress.position)
        await service?.follow(next.configuration.schedule, from: progress.position)
        await hooks.use(next.hooks)
        return true
    }

    /// Hands the series over to the settings of the latest reload; returns `nil` if nothing is to continue.
    private func nextInLine() async -> Successor? {
        guard account.ending == .stopped else { return nil }
        while var next = successor {
            // The picture that was being captured during the reload is done by now, so `progress` includes it.
            (successor, next.configuration.position) = (nil, progress.position)
            await controller.handOver(to: &next.configuration)
            // Meanwhile a signal may have finished the series, or another reload may have brought newer settings.
            if phase >= .finishing { return nil }
            if successor == nil { return next }
        }
        return nil
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
        case SIGTSTP: suspend()
        case SIGCONT: resume()
        case SIGHUP where reload != nil: readAgain()
        default: await stop(signal)
        }
    }

    /// Finishes after the current picture.
    private func finish() async {
        advance(to: .finishing)
        successor = nil
        await controller.finish()
    }

    /// Finishes after the current picture. A series that SIGUSR2 finishes is done, with status 0 even before its first
    /// picture. A single picture that a signal prevents is not.
    private func finish(_ signal: Int32) async {
        if signal != SIGUSR2 || !isSeries { stopSignal = stopSignal ?? signal }
        await finish()
    }

    /// How long to wait for a camera that hangs, or a reader that stalls.
    private static let patience = Duration.seconds(2)

    private func stop(_ signal: Int32) async {
        stops += 1
        advance(to: .finishing)
        reloading?.cancel()
        // While the loop concludes, the reader of its output can block it.
        if phase >= .concluding { StandardStream.waitNoLonger() }
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
            // Outlives `run(_:)`: it ends the process even if something after the loop hangs.
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
    /// If the camera hangs while it is being opened, the process ends without it: no picture is being captured. After
    /// SIGTERM the loop also abandons a picture whose storing hangs, because SIGTERM ends every phase within five
    /// seconds, except the wait for hooks.
    private func endInTime(_ signal: Int32) {
        guard isOpening || signal == SIGTERM else { return }
        deadlines.add { [self] in await end(late: signal) }
    }

    private func end(late signal: Int32) async {
        guard (try? await Task.sleep(for: Self.patience)) != nil, phase < .concluding else { return }
        if !isOpening {
            guard signal == SIGTERM else { return }
            await controller.cancel()
            guard (try? await Task.sleep(for: Self.patience / 4)) != nil else { return }
        }
        await abandon(.stopped)
    }

    /// Ends the process without waiting for threads that hang, unless the capture has ended by itself.
    private func abandon(_ ending: CaptureSummary.Ending) async {
        guard phase < .concluding else { return }
        await controller.rescue(ending)
        // Meanwhile the capture may have ended by itself.
        guard phase < .over else { return }
        account.ending = .stopped
        await conclude().leave()
    }

    /// Ends the process if it does not end by itself.
    private func leave(_ code: Int32) async {
        guard (try? await Task.sleep(for: Self.patience * 2)) != nil else { return }
        StandardStream.waitNoLonger()
        ExitStatus(code: code).leave()
    }

    /// Reads the settings again in a separate task: it asks drivers, which may hang, and neither the next signal nor the
    /// end of the loop must wait for them.
    private func readAgain() {
        guard let reload, phase == .running else { return }
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
            guard phase == .running else { return }
            successor = next
            reporter.report(.notice(Notice(.settingsReloaded, "settings reloaded")))
            await controller.finish()
        } catch {
            guard phase == .running else { return }
            reporter.report(
                .notice(Notice(.reloadRefused, about: error.subject, "settings not reloaded", because: error)))
            await service?.keepSettings()
        }
    }

    /// Handles Ctrl-Z: restores the terminal for the shell, then stops the process.
    private func suspend() {
        KeyTerminal.restore()
        SignalListener.stop()
        // The process may not have been stopped, and then gets no SIGCONT.
        resume()
    }

    private func resume() {
        if desk != nil, requests == nil { KeyTerminal.acquire() }
        reporter.refresh()
    }
}

// MARK: - Requests of a program

extension CaptureLoop {
    /// Handles requests, one after the other.
    private func handleRequests() async {
        guard let requests else { return }
        for await line in requests.lines { reporter.answer(await handle(line.text), to: line) }
    }

    /// Returns the answer.
    private func handle(_ line: Result<String, CaptureError>) async -> JSONValue {
        do throws(CaptureError) {
            let request = try CaptureRequest(line: try line.get())
            if request.action == .state { return await state(for: request) }
            return request.answer(await perform(request.action))
        } catch {
            return .answer(to: error)
        }
    }

    /// Performs a request; returns the reason if it is refused.
    private func perform(_ action: CaptureRequest.Action) async -> CaptureRequest.Refusal? {
        do throws(CaptureRequest.Refusal) {
            switch action {
            case .stop: await stopAtOnce()
            case .finish: await finish()
            case .capture(nil): await controller.trigger()
            default:
                guard let act = try desk?.perform(action) else { throw .noPreview }
                await carryOut(act)
            }
            return nil
        } catch {
            return error
        }
    }

    private func stopAtOnce() async {
        advance(to: .finishing)
        successor = nil
        await controller.cancel()
    }

    private func state(for request: CaptureRequest) async -> JSONValue {
        let slot = await controller.nextSlot
        return .event(
            "state",
            [
                "id": request.id.map(JSONValue.string), "phase": .string(phase == .running ? "running" : "finishing"),
                "captured": .integer(account.captured), "late": .integer(account.late),
                "missed": .integer(account.missed), "failed": .integer(account.failed),
                "next_slot": slot.map(\.json) ?? .null, "preview": desk?.json,
            ])
    }
}

// MARK: - The preview

extension CaptureLoop {
    private func type() async {
        KeyTerminal.acquire()
        for await key in KeyTerminal.keys(as: PreviewKey.self) { await press(key) }
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
        case .finish: await finish()
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
            await finish()
        default: break
        }
    }

    /// Ends the capture after its window or display is lost. The threads that show the preview on a lost display hang,
    /// so the loop waits two seconds for the picture in progress, and then ends the process.
    private func lose(_ loss: DisplayLoss) async {
        guard loss == .display else { return await finish() }
        previewFailure = .lostDisplay
        await finish()
        try? await Task.sleep(for: .seconds(2))
        guard !Task.isCancelled else { return }
        await abandon(.failed(.lostDisplay))
    }
}

extension CaptureSummary {
    /// `true` if a resumed series had nothing left to do.
    fileprivate var isComplete: Bool { ending == .completed && captured + missed + failed == 0 }

    /// Returns the sum with the summary of the next controller.
    fileprivate func adding(_ next: CaptureSummary) -> CaptureSummary {
        var sum = next
        sum.captured += captured
        sum.late += late
        sum.missed += missed
        sum.failed += failed
        sum.removed += removed
        sum.removedUnsent += removedUnsent
        sum.firstFailure = firstFailure ?? next.firstFailure
        return sum
    }
}
