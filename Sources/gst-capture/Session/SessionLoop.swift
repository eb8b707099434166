// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc

/// Runs a session, and obeys signals and keys.
actor SessionLoop {
    private let controller: SessionController
    private let session: SessionDescription
    private let printer: any SessionPrinter
    private var desk: SessionDesk
    private var stopSignal: Int32?

    init(_ controller: SessionController, _ session: SessionDescription, _ printer: any SessionPrinter, isMirrored: Bool) {
        (self.controller, self.session, self.printer) = (controller, session, printer)
        desk = SessionDesk(isMirrored: isMirrored)
    }

    /// Runs to the end, or until a signal leaves it.
    func run(_ signals: AsyncStream<Int32>) async -> ExitStatus {
        let tasks = [
            Task { for await signal in signals { await receive(signal) } },
            Task { await type() },
            Task { for await _ in DisplayLoss.losses { await controller.leave() } },
        ]
        async let outcome = controller.run()
        for await event in controller.events { await take(event) }
        for task in tasks { task.cancel() }
        return conclude(await outcome)
    }

    private func conclude(_ outcome: SessionOutcome) -> ExitStatus {
        switch outcome.ending {
        case .accepted: return .success
        case .failed(let error):
            printer.report(error)
            return ExitStatus(error)
        case .left, .cancelled:
            return ExitStatus(code: stopSignal.map { 128 + $0 } ?? CaptureError.Code.temporary.exitStatus)
        }
    }

    private func take(_ event: SessionEvent) async {
        desk.note(event, of: session)
        printer.show(event)
        switch event {
        case .previewing: DisplayLoss.watch()
        case .key(let name): if let key = SessionKey(windowKey: name) { await press(key) }
        case .press: await controller.trigger()
        default: break
        }
    }

    private func receive(_ signal: Int32) async {
        switch signal {
        case SIGUSR1: await controller.trigger()
        case SIGTSTP:
            KeyTerminal.restore()
            SignalListener.stop()
        case SIGCONT: KeyTerminal.take()
        case SIGWINCH: break
        default: await stop(signal)
        }
    }

    private func stop(_ signal: Int32) async {
        if stopSignal != nil { ExitStatus(code: 128 + signal).leave() }
        stopSignal = signal
        await controller.leave()
    }

    private func type() async {
        KeyTerminal.take()
        for await key in KeyTerminal.keys(as: SessionKey.self) { await press(key) }
    }

    private func press(_ key: SessionKey) async {
        guard let act = desk.press(key) else { return }
        switch act {
        case .trigger: await controller.trigger()
        case .skip: await controller.skip()
        case .abort: await controller.abort()
        case .switchCamera: await controller.switchCamera()
        case .bring: await controller.bring()
        case .accept: await controller.accept()
        case .discard: await controller.discard()
        case .cancel: await controller.cancel()
        case .retake(let stage): await controller.retake(stage: stage)
        case .enlarge(let picture): await controller.enlarge(picture)
        case .mirror(let isOn): controller.mirrorPreview(isOn)
        case .tell(let text): printer.tell(text)
        }
    }
}
