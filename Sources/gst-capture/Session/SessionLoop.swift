// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc
import HookKit
import SessionKit
import TerminalKit

/// Runs a session, or one after the other, and handles signals, keys and requests.
actor SessionLoop {
    /// The current run.
    private var controller: SessionController
    private let makeController: @Sendable () -> SessionController
    /// `true` to begin again after each run.
    private let loops: Bool
    /// `true` once the user began the current run.
    private var isBegun = false
    private let reporter: SessionReporter
    private var isMirrored: Bool
    private var stopSignal: Int32?
    /// `true` while the session is over and its hooks run, each up to its time limit.
    private var isWaitingForHooks = false
    private var isConcluding = false
    /// How long to wait for a camera that hangs, or a reader that stalls.
    private static let patience = Duration.seconds(2)
    private let answers: SessionJSONPrinter
    private let requests: RequestChannel?
    private let hooks: HookRunner

    /// Creates the loop.
    ///
    /// - Parameters:
    ///   - requests: The requests of programs, which take the place of keys; `nil` for keys.
    ///   - answers: Answers requests.
    ///   - loops: `true` to begin again after each run that the user began.
    ///   - makeController: Creates the controller of a run.
    init(
        _ reporter: SessionReporter, isMirrored: Bool, requests: RequestChannel?, answers: SessionJSONPrinter,
        hooks: HookRunner, loops: Bool, makeController: @escaping @Sendable () -> SessionController
    ) {
        (self.hooks, self.requests, self.loops) = (hooks, requests, loops)
        (self.reporter, self.answers, self.makeController) = (reporter, answers, makeController)
        controller = makeController()
        self.isMirrored = isMirrored
    }

    /// Runs the session until it ends, or until a signal leaves it.
    func run(_ signals: AsyncStream<Int32>) async -> ExitStatus {
        await withTaskGroup { group in
            group.addTask { for await signal in signals { await self.receive(signal) } }
            defer { group.cancelAll() }
            let outcome = await runAll()
            // A signal can still cut short the wait for a reader that stalls.
            return await conclude(outcome)
        }
    }

    private func runAll() async -> SessionOutcome {
        await withTaskGroup { group in
            group.addTask {
                if let requests = self.requests {
                    await self.handleRequests(requests, self.answers)
                } else {
                    await self.type()
                }
            }
            group.addTask { for await _ in DisplayLoss.losses { await self.controller.leave() } }
            group.addTask { for await _ in self.reporter.failures { await self.controller.leave() } }
            defer { group.cancelAll() }
            return await runSession()
        }
    }

    private func runSession() async -> SessionOutcome {
        var ended = await runOnce()
        while continues(after: ended) {
            controller = makeController()
            if isMirrored { controller.mirrorPreview(true) }
            ended = await runOnce()
        }
        isWaitingForHooks = true
        await hooks.finish()
        isWaitingForHooks = false
        return ended
    }

    private func runOnce() async -> SessionOutcome {
        isBegun = false
        let controller = controller
        let events = controller.listen()
        async let outcome = controller.run()
        for await event in events { await handle(event) }
        return await outcome
    }

    /// `true` if another run follows. A run that is canceled before it begins ends the loop.
    private func continues(after outcome: SessionOutcome) -> Bool {
        guard loops, isBegun, stopSignal == nil else { return false }
        return outcome.ending == .accepted || outcome.ending == .cancelled
    }

    private func conclude(_ outcome: SessionOutcome) async -> ExitStatus {
        isConcluding = true
        if case .failed(let error) = outcome.ending { reporter.report(error) }
        await reporter.finish(within: stopSignal == nil ? nil : Self.patience)
        return status(outcome)
    }

    private func status(_ outcome: SessionOutcome) -> ExitStatus {
        switch outcome.ending {
        case .accepted: return .success
        case .failed(let error): return ExitStatus(error)
        case .left, .cancelled:
            // The session was left because its output cannot be written: see `runAll()`.
            if StandardStream.isBroken { return ExitStatus(code: CaptureError.Code.inputOutput.exitStatus) }
            // A signal on the last screen of a canceled session does not change its result.
            let signal = outcome.ending == .left ? stopSignal : nil
            return ExitStatus(code: signal.map { 128 + $0 } ?? CaptureError.Code.temporary.exitStatus)
        }
    }

    private func handle(_ numbered: NumberedSessionEvent) async {
        reporter.show(numbered)
        await hooks.follow(session: numbered.event)
        switch numbered.event {
        case .phase(let phase) where ![.idle, .ready].contains(phase.name): isBegun = true
        case .previewing: DisplayLoss.watch()
        case .key(let name): if let key = SessionStroke(windowKey: name) { await press(key) }
        case .press: if await !controller.dismissHelp() { await controller.touch() }
        default: break
        }
    }

    private func receive(_ signal: Int32) async {
        switch signal {
        case SIGUSR1: await controller.trigger()
        case SIGTSTP:
            KeyTerminal.restore()
            SignalListener.stop()
            // The process may not have been stopped, and then gets no SIGCONT.
            resume()
        case SIGCONT: resume()
        case SIGWINCH: break
        default: await stop(signal)
        }
    }

    /// Reads single keys again. Requests are lines, which the terminal edits and echoes.
    private func resume() { if requests == nil { KeyTerminal.acquire() } }

    private func stop(_ signal: Int32) async {
        if stopSignal != nil {
            await hooks.cancel()
            ExitStatus(code: 128 + signal).leave()
        }
        stopSignal = signal
        // The session has ended, and the reader of its output can block the loop.
        if isConcluding { StandardStream.waitNoLonger() }
        // Outlives `run(_:)`: it ends the process even if something after the loop hangs.
        Task {
            guard (try? await Task.sleep(for: Self.patience * 2)) != nil, !isWaitingForHooks else { return }
            await hooks.cancel()
            StandardStream.waitNoLonger()
            ExitStatus(code: 128 + signal).leave()
        }
        await controller.leave()
    }

    /// Handles a program's requests, one after the other.
    private func handleRequests(_ requests: RequestChannel, _ answers: SessionJSONPrinter) async {
        for await line in requests.lines {
            let answer = await handle(line.text, answers)
            reporter.answer {
                answers.print(answer, to: line)
                line.release()
            }
        }
    }

    /// Handles a request; returns the answer.
    private func handle(_ line: Result<String, CaptureError>, _ answers: SessionJSONPrinter) async -> JSONValue {
        do throws(CaptureError) {
            let request = try SessionRequest(line: try line.get())
            guard request.action == .state else {
                return answers.answer(await controller.perform(request.action), to: request)
            }
            return answers.answer(await controller.snapshot(), to: request)
        } catch {
            return .answer(to: error)
        }
    }

    private func type() async {
        KeyTerminal.acquire()
        for await key in KeyTerminal.keys(as: SessionStroke.self) { await press(key) }
    }

    private func press(_ stroke: SessionStroke) async {
        // The key that hides the help has no other effect.
        if await controller.dismissHelp() { return }
        switch stroke {
        case .key(let key): await press(key)
        case .escape: await controller.lookCloser(at: nil)
        case .tile(let tile): await controller.lookCloser(atShown: tile)
        case .move(let step): await controller.moveSelection(by: step)
        case .page(let isForward): await controller.turnReviewPage(forward: isForward)
        case .mirror:
            isMirrored.toggle()
            controller.mirrorPreview(isMirrored)
        case .help:
            reporter.report(Notice(.information, SessionStroke.words))
            await controller.toggleHelp()
        }
    }

    private func press(_ key: SessionKey) async {
        switch key {
        case .go: await controller.trigger()
        case .skip: await controller.skip()
        case .abort: await controller.abort()
        case .cancel: await controller.cancelAfterConfirmation()
        case .switchCamera: await controller.switchCamera()
        case .bring: await controller.bring()
        case .retake: await controller.retakeShown()
        case .retakeStage: await controller.retakeShown(wholeStage: true)
        case .accept: await controller.accept()
        case .discard: await controller.discardAfterConfirmation()
        }
    }
}
