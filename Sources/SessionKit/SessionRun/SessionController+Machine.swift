// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

/// Passes inputs to the machine, and carries out its effects.
extension SessionController {
    /// Handles a request of the user or a program. Any request closes the last screen.
    ///
    /// - Returns: The reason if the request is refused; `nil` if it is carried out, or waits until the session is
    ///   prepared.
    @discardableResult
    func request(_ input: SessionMachine.Input, _ picture: Wanted? = nil) -> SessionMachine.Refusal? {
        if let farewell {
            conclude(farewell)
            return .over
        }
        display.showsHelp = false
        withdrawPrompt()
        return handle(input, picture)
    }

    /// Queues an input, and handles the queue unless that is under way.
    ///
    /// - Parameter picture: The library picture to bring in; `nil` for the next one.
    @discardableResult
    func handle(_ input: SessionMachine.Input, _ picture: Wanted? = nil) -> SessionMachine.Refusal? {
        if ending != nil { return .over }
        inputs.append((input, picture))
        return isHandling ? nil : handleAll()
    }

    /// Handles all pending inputs, and those that they cause.
    ///
    /// - Returns: The reason if the first input is refused.
    @discardableResult
    func handleAll() -> SessionMachine.Refusal? {
        isHandling = true
        var refusals: [SessionMachine.Refusal?] = []
        while !inputs.isEmpty, ending == nil {
            let (input, picture) = inputs.removeFirst()
            wanted = picture
            refusals.append(step(input))
        }
        (inputs, isHandling, wanted) = ([], false, nil)
        return refusals.first ?? nil
    }

    private func step(_ input: SessionMachine.Input) -> SessionMachine.Refusal? {
        let (phase, progress) = (machine.phase, machine.progress)
        let effects = machine.handle(input, at: PipelineClock.system.now)
        if phase.isBeforeStart, !machine.phase.isBeforeStart, !progress.isBegun { begin() }
        if machine.progress != progress {
            save()
            library.follow(machine.progress)
        }
        if case .taken(let number) = input { acknowledge(number) }
        for effect in effects { carryOut(effect) }
        if machine.phase != phase { enter(machine.phase) }
        show()
        if case .emit(.refused(let refusal))? = effects.first { return refusal }
        return nil
    }

    /// Dates the session by its first trigger: a kiosk may have waited for that since the morning.
    private func begin() {
        let now = configuration.wallClock()
        record.begun = now.iso8601
        storing.add { [self] in await folder.begin(at: now) }
    }

    private func enter(_ phase: SessionMachine.Phase) {
        emit(.phase(SessionPhase(of: phase)))
        display.enter(phase)
        if phase == .review { emitWhenDurable(.review(machine.progress.pictures.compactMap { stills[$0.number] })) }
        if let input = pilot?.input(in: phase) { handle(input) }
    }

    private func carryOut(_ effect: SessionMachine.Effect) {
        switch effect {
        case .useCamera(let role): use(role)
        case .watch(let requests): watch(requests)
        case .wake(let time): alarm.set(time) { [self] in await wake() }
        // The view follows from the phase.
        case .show: break
        case .rememberTutorial: rememberTutorial()
        case .countdown(let left): count(left)
        case .capture(let picture, let stage, let zero): capture(picture, stage, zero)
        case .bring(let picture, let stage): bring(picture, stage)
        case .callOff(let picture):
            library.cancel(picture)
            callOff()
        case .release(let pictures): release(pictures)
        // The files keep their names; the record lists them as set aside.
        case .setAside(let pictures): emitWhenDurable(.setAside(numbers: pictures.map(\.number)))
        case .emit(let notice): handle(notice: notice)
        case .end(.accepted): showFarewell(.accepted)
        case .end(.cancelled): showFarewell(.cancelled)
        }
    }

    private func wake() { if !Task.isCancelled { handle(.wake) } }

    private func count(_ left: Duration) {
        guard let stage = stageInHand else { return }
        display.countdown = left.roundedSeconds
        emit(.countdown(stage: stage, remaining: left))
        chime.play(.tick)
    }

    /// Emits a picture once the record that lists it is durable.
    private func acknowledge(_ number: Int) {
        guard machine.progress.pictures.contains(where: { $0.number == number }), let still = stills[number] else {
            return
        }
        let isInShelter = shelter != nil
        storing.add { [self] in
            let path = await folder.madePath
            await acknowledge(.captured(still, folder: isInShelter ? nil : path))
        }
    }

    private func rememberTutorial() {
        // An automatic session has no user who has seen it.
        guard let memory = configuration.tutorialMemory, !configuration.isAutomatic else { return }
        let name = session.name
        storing.add { await BlockingWork.run { memory.remember(name) } }
    }

    /// Shows a notice and emits its event. Events of stored state wait until that is durable.
    private func handle(notice: SessionMachine.Notice) {
        display.apply(notice)
        switch notice {
        case .stage(let stage):
            emit(.stage(stage, session.stages[stage]))
            learnLatency()
        case .stageDone(let stage): emitWhenDurable(.stageDone(stage))
        case .skipped(let stage): emitWhenDurable(.skipped(stage))
        case .aborted(let stage, let reason, let policy):
            chime.play(.abort)
            emit(.aborted(stage: stage, SessionAbort(reason), policy))
        case .failed(let stage, let error): emit(.failed(stage: stage, error))
        case .overruled(let kind):
            let message = "gate \"\(kind.rawValue)\" timed out; continuing without it"
            emit(.notice(Notice(.gateTimedOut, about: kind.rawValue, message)))
        // The events of the camera report these.
        case .cameraLost, .cameraBack: break
        case .refused(let refusal):
            emit(.refused(reason: refusal.rawValue, explanation: refusal.explanation))
        }
        if let error = pilot?.handle(notice) { conclude(.failed(error)) }
    }

    func emit(_ event: SessionEvent) { broadcast.emit(event) }

    /// Shows the last screen for ``SessionConfiguration/farewell`` if that is set, and the session has begun or was
    /// accepted.
    private func showFarewell(_ ending: SessionOutcome.Ending) {
        guard configuration.farewell > .zero, farewell == nil, machine.progress.isBegun || ending == .accepted else {
            return conclude(ending)
        }
        farewell = ending
        if ending == .accepted { chime.play(.done) }
        prompt.set(PipelineClock.system.now + configuration.farewell) { [self] in await endFarewell() }
    }

    private func endFarewell() {
        if !Task.isCancelled, let farewell { conclude(farewell) }
    }

    /// Ends the session, or leaves it; ``run()`` then closes everything.
    func conclude(_ ending: SessionOutcome.Ending) {
        guard self.ending == nil else { return }
        // Events on the last screen, such as a closed window, do not change how the session ended.
        self.ending = farewell ?? ending
        alarm.cancel()
        flash.cancel()
        prompt.cancel()
        if ending == .accepted, farewell == nil { chime.play(.done) }
        waiting?.resume()
        waiting = nil
    }

    /// The current stage; `nil` outside of stages.
    var stageInHand: Int? { machine.phase.stage }
}

extension SessionMachine.Phase {
    /// `true` while the session waits for the trigger that begins it.
    fileprivate var isBeforeStart: Bool { self == .idle || self == .ready }
}

extension SessionMachine.AbortReason {
    /// The reason in words.
    var explanation: String {
        switch self {
        case .asked: "a key or a program requested it"
        case .gate(.steady): "the picture was not steady"
        case .gate(.focus): "the picture was no longer sharp"
        case .gate(.light): "the light was no longer right"
        case .gate(.present): "the subject was no longer in the outline"
        case .expired(let kind): "timed out waiting for the gate \"\(kind.rawValue)\""
        }
    }
}

extension Duration {
    /// Whole seconds, as a countdown shows them.
    fileprivate var roundedSeconds: Int { Int((nanoseconds + 500_000_000) / 1_000_000_000) }
}
