// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc

/// Runs a session, and obeys signals and keys.
actor SessionLoop {
    private let controller: SessionController
    private let printer: any SessionPrinter
    private var isMirrored: Bool
    private var stopSignal: Int32?
    private let lane: OutputLane
    private let losses: (stream: AsyncStream<Void>, report: AsyncStream<Void>.Continuation)
    /// How long a camera that hangs, and a reader that stalls, are waited for.
    private static let patience = Duration.seconds(2)

    init(_ controller: SessionController, _ printer: any SessionPrinter, isMirrored: Bool) {
        (self.controller, self.printer) = (controller, printer)
        self.isMirrored = isMirrored
        lane = OutputLane { printer.tell(Wording.gap($0)) }
        let (stream, report) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        losses = (stream, report)
    }

    /// Runs to the end, or until a signal leaves it.
    func run(_ signals: AsyncStream<Int32>) async -> ExitStatus {
        let tasks = [
            Task { for await signal in signals { await receive(signal) } },
            Task { await type() },
            Task { for await _ in DisplayLoss.losses { await controller.leave() } },
            Task { for await _ in losses.stream { await controller.leave() } },
        ]
        async let outcome = controller.run()
        for await event in controller.events { await take(event) }
        for task in tasks { task.cancel() }
        let ended = await outcome
        await lane.finish(within: stopSignal == nil ? nil : Self.patience)
        return conclude(ended)
    }

    private func conclude(_ outcome: SessionOutcome) -> ExitStatus {
        switch outcome.ending {
        case .accepted: return .success
        case .failed(let error):
            printer.report(error)
            return ExitStatus(error)
        case .left, .cancelled:
            // Whoever read events is gone, and would take this for the end of a session that went well.
            if StandardStream.hasLostOutput { return ExitStatus(code: CaptureError.Code.inputOutput.exitStatus) }
            return ExitStatus(code: stopSignal.map { 128 + $0 } ?? CaptureError.Code.temporary.exitStatus)
        }
    }

    private func take(_ event: SessionEvent) async {
        lane.add { [printer, losses] in
            printer.show(event)
            if StandardStream.hasLostOutput { losses.report.yield() }
        }
        switch event {
        case .previewing: DisplayLoss.watch()
        case .key(let name): if let key = SessionStroke(windowKey: name) { await press(key) }
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
        Task {
            guard (try? await Task.sleep(for: Self.patience * 2)) != nil else { return }
            StandardStream.waitNoLonger()
            ExitStatus(code: 128 + signal).leave()
        }
        await controller.leave()
    }

    private func type() async {
        KeyTerminal.take()
        for await key in KeyTerminal.keys(as: SessionStroke.self) { await press(key) }
    }

    private func press(_ stroke: SessionStroke) async {
        switch stroke {
        case .key(let key): await press(key)
        case .escape: await controller.lookCloser(at: nil)
        case .tile(let tile): await controller.lookCloser(at: tile)
        case .mirror:
            isMirrored.toggle()
            controller.mirrorPreview(isMirrored)
        case .help: lane.add { [printer] in printer.tell(SessionStroke.words) }
        }
    }

    private func press(_ key: SessionKey) async {
        switch key {
        case .go: await controller.trigger()
        case .skip: await controller.skip()
        case .abort: await controller.abort()
        case .cancel: await controller.cancel()
        case .switchCamera: await controller.switchCamera()
        case .bring: await controller.bring()
        case .retake: await controller.retakeShown()
        case .accept: await controller.accept()
        case .discard: await controller.discard()
        }
    }
}
