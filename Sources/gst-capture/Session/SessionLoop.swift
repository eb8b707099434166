// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc
import SessionKit

/// Runs a session, and handles signals, keys and requests.
actor SessionLoop {
    private let controller: SessionController
    private let printer: any SessionPrinter
    private var isMirrored: Bool
    private var stopSignal: Int32?
    private let lane: OutputLane
    private let losses: (stream: AsyncStream<Void>, report: AsyncStream<Void>.Continuation)
    /// How long to wait for a camera that hangs, or a reader that stalls.
    private static let patience = Duration.seconds(2)
    /// `true` to read a program's requests from standard input instead of keys.
    private let isControlled: Bool
    private let hooks: HookRunner

    init(
        _ controller: SessionController, _ printer: any SessionPrinter, isMirrored: Bool, isControlled: Bool,
        hooks: HookRunner
    ) {
        self.hooks = hooks
        (self.controller, self.printer, self.isControlled) = (controller, printer, isControlled)
        self.isMirrored = isMirrored
        lane = OutputLane { printer.report(Wording.gap($0)) }
        let (stream, report) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        losses = (stream, report)
    }

    /// Runs the session until it ends, or until a signal leaves it.
    func run(_ signals: AsyncStream<Int32>) async -> ExitStatus {
        let outcome = await withTaskGroup { group in
            group.addTask { for await signal in signals { await self.receive(signal) } }
            group.addTask { if self.isControlled { await self.handleRequests() } else { await self.type() } }
            group.addTask { for await _ in DisplayLoss.losses { await self.controller.leave() } }
            group.addTask { for await _ in self.losses.stream { await self.controller.leave() } }
            defer { group.cancelAll() }
            return await runSession()
        }
        await lane.finish(within: stopSignal == nil ? nil : Self.patience)
        return conclude(outcome)
    }

    private func runSession() async -> SessionOutcome {
        let events = controller.listen()
        async let outcome = controller.run()
        for await event in events { await handle(event) }
        let ended = await outcome
        await hooks.finish()
        return ended
    }

    private func conclude(_ outcome: SessionOutcome) -> ExitStatus {
        switch outcome.ending {
        case .accepted: return .success
        case .failed(let error):
            printer.report(error)
            return ExitStatus(error)
        case .left, .cancelled:
            // The reader of events is gone. Exit status 0 would report a session that was accepted.
            if StandardStream.hasLostOutput { return ExitStatus(code: CaptureError.Code.inputOutput.exitStatus) }
            return ExitStatus(code: stopSignal.map { 128 + $0 } ?? CaptureError.Code.temporary.exitStatus)
        }
    }

    private func handle(_ numbered: NumberedSessionEvent) async {
        lane.add { [printer, losses] in
            printer.show(numbered)
            if StandardStream.hasLostOutput { losses.report.yield() }
        }
        await hooks.follow(session: numbered.event)
        switch numbered.event {
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
        case SIGCONT: KeyTerminal.acquire()
        case SIGWINCH: break
        default: await stop(signal)
        }
    }

    private func stop(_ signal: Int32) async {
        if stopSignal != nil {
            await hooks.cancel()
            ExitStatus(code: 128 + signal).leave()
        }
        stopSignal = signal
        Task {
            guard (try? await Task.sleep(for: Self.patience * 2)) != nil else { return }
            StandardStream.waitNoLonger()
            ExitStatus(code: 128 + signal).leave()
        }
        await controller.leave()
    }

    /// Handles a program's requests, one after the other.
    private func handleRequests() async {
        for await line in RequestLines.lines() {
            do throws(CaptureError) {
                let request = try SessionRequest(line: try line.get())
                if request.action == .state {
                    let snapshot = await controller.snapshot()
                    lane.add { [printer] in printer.answer(snapshot, to: request) }
                } else {
                    let answer = await controller.perform(request.action)
                    lane.add { [printer] in printer.answer(answer, to: request) }
                }
            } catch {
                lane.add { [printer] in printer.answer(error) }
            }
            RequestLines.release()
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
            lane.add { [printer] in printer.report(Notice(.information, SessionStroke.words)) }
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
