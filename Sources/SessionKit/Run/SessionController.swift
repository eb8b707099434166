// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CropKit
import FrameMeasures
import OverlayCompositor
import PipelineKit
import PresetKit

/// Leads a user through a session: shows each stage, counts down, captures the pictures, and stores them together.
///
/// `SessionMachine`, which is pure, decides the next step; the controller carries it out. A controller runs once.
///
///     let controller = SessionController(session, configuration, rasterizer: rasterizer)
///     Task { for await event in controller.events { print(event) } }
///     let outcome = await controller.run()
///
/// Write order of each picture: (1) `session.json` reserving the picture's number, (2) the picture, (3) `session.json`
/// listing it, (4) the event. A crash after (1) leaves a folder that can be resumed. If `session.json` cannot be saved,
/// the picture is stored all the same, and its event waits for a save that succeeds.
public actor SessionController {
    /// All events from the first on; ends after ``SessionEvent/finished(_:)``. One task may iterate the sequence;
    /// ``listen(after:buffering:)`` serves others. A task that is more than 4096 events behind loses the oldest.
    public nonisolated let events: AsyncMapSequence<AsyncStream<NumberedSessionEvent>, SessionEvent>

    nonisolated let session: SessionDescription
    private nonisolated let configuration: SessionConfiguration
    private nonisolated let broadcast = EventBroadcast<SessionEvent>()
    private nonisolated let preview: PreviewScreen
    private nonisolated let chime: Chime
    private nonisolated let overlay: Overlay?
    private nonisolated let planner: OverlayPlanner?
    private nonisolated let storage: SessionStorage
    private let screen: SessionScreen
    private let pictures: PictureStore
    /// The tasks that handle events and measure latencies; they end before the cameras and the preview are closed.
    private let tasks = TaskScope()

    private var machine: SessionMachine
    private var cameras: SessionCameras
    private var gates: SessionGates
    private var barcodes: SessionBarcodes
    /// The last code that was refused, which the camera sees again and again.
    private var refusedCode = ""
    private var pictureTasks = PictureTasks()
    /// Records the pending clip; `nil` if no clip is pending.
    private var recorder: SessionRecorder?
    private var pilot: SessionAutopilot?
    /// Inputs that are not handled yet: handling one can append others. Requests made before the session is prepared
    /// wait here.
    private var inputs: [SessionMachine.Input] = [.begin]
    private var isHandling = true
    /// `true` once the progress is that of the folder. Until then, the end removes nothing from a folder that is
    /// resumed.
    private var isPrepared = false
    private var alarm = Alarm()
    private var idleAlarm = Alarm()
    /// The moment of ``idleAlarm``; `nil` if it is not set.
    private var idleEnd: ClockTime?
    private var ending: SessionOutcome.Ending?
    /// How the session ended, while its last screen is shown.
    private var farewell: SessionOutcome.Ending?
    private var running: Task<SessionOutcome, Never>?
    /// Resumed when ``ending`` is set.
    private var ended: CheckedContinuation<Void, Never>?

    /// Prepares a session; opens nothing yet.
    ///
    /// - Parameters:
    ///   - hub: Owns the cameras, which other jobs may use at the same time; `nil` if this session is the only job.
    ///   - rasterizer: Draws outlines, text, pages, and the shapes of crops; `nil` for none of them.
    public init(
        _ session: SessionDescription, _ configuration: SessionConfiguration, hub: CameraHub? = nil,
        rasterizer: (any Rasterizer)? = nil
    ) {
        var session = session
        // An automatic session has no user who could be idle.
        session.idle = configuration.isAutomatic ? nil : configuration.idle ?? session.idle
        (self.session, self.configuration) = (session, configuration)
        events = broadcast.listen(buffering: 4096).map(\.event)
        overlay = rasterizer.map(Overlay.init)
        planner = rasterizer.map { OverlayPlanner($0) }
        let watch = GateWatch(accelerometer: configuration.accelerometer)
        gates = SessionGates(watch, planner)
        let observer = SessionObserver(watch)
        barcodes = SessionBarcodes(observer)
        let usual = configuration.cameras.min { $0.key < $1.key }?.value
        preview = PreviewScreen(
            configuration.preview, overlay, rasterizer, observer: observer, orientation: usual?.orientation ?? .upright)
        screen = SessionScreen(session, configuration, preview, overlay)
        chime = Chime(configuration.sound) { [broadcast] in broadcast.emit(.notice(Notice(.soundFailed, $0))) }
        // One hub for all roles: if two have the same camera, they share it.
        let besides = Set(session.stages.flatMap(\.besides))
        cameras = SessionCameras(
            configuration, besides: besides, preview, hub: hub ?? CameraHub(), broadcast, rasterizer)
        machine = SessionMachine(session)
        storage = SessionStorage(session, configuration, broadcast)
        pictures = PictureStore(session, configuration, storage, broadcast, rasterizer)
    }

    /// The pipeline of the preview's screen; `nil` before the session opens it.
    nonisolated var screenPipeline: Pipeline? { preview.pipeline }

    /// Runs the session; returns when it is over or left, and everything is closed.
    ///
    /// The call does not throw: ``SessionOutcome/ending`` holds the error. A second call waits for the same session. If
    /// a task that waits is canceled, the session is left, see ``leave()``.
    public func run() async -> SessionOutcome {
        // Not a child of the caller's task, whose cancellation must not reach the tasks that store pictures.
        let running = self.running ?? Task { await perform() }
        self.running = running
        return await withTaskCancellationHandler {
            await running.value
        } onCancel: {
            // The handler cannot wait. If the session is ending already, this task can outlast `run()`: it then does
            // nothing.
            Task { await leave() }
        }
    }

    private func perform() async -> SessionOutcome {
        async let running: Void = tasks.run()
        do throws(CaptureError) {
            try await prepare()
            handleAll()
        } catch {
            conclude(.failed(error))
        }
        if ending == nil { await withCheckedContinuation { ended = $0 } }
        let outcome = await close()
        await running
        broadcast.emit(.finished(outcome))
        broadcast.finish()
        return outcome
    }
}

/// The beginning and the end.
extension SessionController {
    /// Checks the parts that need no camera, prepares the folder or resumes the session in it, and opens the preview.
    private func prepare() async throws(CaptureError) {
        try session.checkSize()
        try session.checkRoles(Set(configuration.cameras.keys))
        try configuration.preview.sink.check(.current)
        try configuration.sound.check()
        try await configuration.checkClips(of: session, cameras)
        var plan = SessionMachine.Plan()
        plan.hasSeveralCameras = cameras.roles.count > 1
        (plan.usualCamera, plan.cameras) = (cameras.usual, cameras.roles)
        plan.endsUnbegun = configuration.endsUnbegun
        if let memory = configuration.tutorialMemory {
            let name = session.name
            plan.knowsTutorial = await BlockingWork.run { memory.knows(name) }
        }
        machine = SessionMachine(session, plan)
        let form = try session.checkedForm(configuration.form, isComplete: false)
        if !form.isEmpty { inputs.append(.fill(form)) }
        try await screen.prepareOutlines(planner)
        if let progress = try await pictures.prepare(for: Set(cameras.all.map(\.id))) {
            machine = try SessionMachine(session, plan, from: progress)
        }
        isPrepared = true
        if configuration.isAutomatic { pilot = SessionAutopilot(brings: !configuration.library.isEmpty) }
        listen()
        try await preview.start()
    }

    /// Starts the tasks that handle the events of the cameras, the preview, the gates and the overlay.
    private func listen() {
        for camera in cameras.all {
            tasks.add { [self] in for await event in camera.events { await handle(event, of: camera) } }
        }
        tasks.add { [self] in for await event in preview.events { await handle(preview: event) } }
        let findings = gates.findings
        tasks.add { [self] in for await finding in findings { await handle(gate: finding) } }
        if let overlay {
            tasks.add { [self] in for await event in overlay.events { await handle(overlay: event) } }
        }
    }

    /// Cancels the pending picture, waits for all pending work, and closes everything. When it returns, the session
    /// emits no event but the last one, and holds no device and no file.
    private func close() async -> SessionOutcome {
        pictureTasks.callOff()
        gates.stop()
        barcodes.stop()
        await pictureTasks.finish()
        // The record is saved before the gates are closed, because the search for faces can take seconds to end.
        let failure = isPrepared ? await pictures.finish(machine.progress) : nil
        if let failure, ending == .accepted || ending == .cancelled { ending = .failed(failure) }
        tasks.end()
        await alarm.finish()
        await idleAlarm.finish()
        await barcodes.close()
        await gates.close()
        await cameras.close()
        await screen.close()
        await chime.close()
        let ending = ending ?? .left
        return isPrepared ? await pictures.deliver(ending, machine.progress) : await pictures.abandon(ending)
    }

    /// Ends the session, or leaves it, without a last screen; ``run()`` then closes everything. Only the first call
    /// counts.
    func conclude(_ ending: SessionOutcome.Ending) {
        guard self.ending == nil else { return }
        // Events on the last screen, such as a closed window, do not change how the session ended.
        self.ending = farewell ?? ending
        pictureTasks.callOff()
        alarm.cancel()
        idleAlarm.cancel()
        screen.withdrawPrompt()
        if ending == .accepted, farewell == nil { chime.play(.done) }
        ended?.resume()
        ended = nil
    }

    /// Ends the session; shows the last screen first if ``SessionConfiguration/farewell`` is more than 0.
    private func showFarewell(_ ending: SessionOutcome.Ending) {
        guard configuration.farewell > .zero, farewell == nil else { return conclude(ending) }
        farewell = ending
        if ending == .accepted { chime.play(.done) }
        alarm.set(PipelineClock.system.now + configuration.farewell) { [self] in await endFarewell() }
    }

    private func endFarewell() {
        if !Task.isCancelled, let farewell { conclude(farewell) }
    }
}

/// Passes inputs to the machine, and carries out its effects.
extension SessionController {
    /// Handles a request of the user or a program. It hides the help, and withdraws the prompt. On the last screen, any
    /// request only closes that screen.
    ///
    /// - Returns: The reason if the request is refused; `nil` if it is carried out, or waits until the session is
    ///   prepared.
    @discardableResult
    func request(_ input: SessionMachine.Input) -> SessionMachine.Refusal? {
        if let farewell {
            conclude(farewell)
            return .over
        }
        screen.hideHelp()
        screen.withdrawPrompt()
        return handle(input)
    }

    /// Queues an input, and handles the queue unless that is in progress.
    ///
    /// - Returns: The reason if the input is refused at once; `nil` also if it waits in the queue.
    @discardableResult
    func handle(_ input: SessionMachine.Input) -> SessionMachine.Refusal? {
        if ending != nil { return .over }
        inputs.append(input)
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
            refusals.append(step(inputs.removeFirst()))
        }
        (inputs, isHandling) = ([], false)
        updateIdleAlarm()
        return refusals.first ?? nil
    }

    private func updateIdleAlarm() {
        guard ending == nil, machine.idleEnd != idleEnd else { return }
        idleEnd = machine.idleEnd
        if let idleEnd { idleAlarm.set(idleEnd) { [self] in await endIdle() } } else { idleAlarm.cancel() }
    }

    private func endIdle() { if !Task.isCancelled { handle(.idle) } }

    private func step(_ input: SessionMachine.Input) -> SessionMachine.Refusal? {
        let (phase, progress) = (machine.phase, machine.progress)
        let effects = machine.handle(input, at: PipelineClock.system.now)
        if phase.isBeforeStart, !machine.phase.isBeforeStart, !progress.isBegun { pictures.begin() }
        if machine.progress != progress { pictures.save(machine.progress) }
        for effect in effects where !effect.isReported { carryOut(effect, from: phase) }
        if machine.phase != phase { enter(machine.phase) }
        // The storage emits from another thread, and a quick disk is ready at once: its events follow those of the step.
        if case .taken(let number) = input { pictures.acknowledge(number, machine.progress) }
        for effect in effects where effect.isReported { carryOut(effect, from: phase) }
        if machine.phase != phase, machine.phase == .review {
            storage.emitWhenDurable(.review(pictures.records(of: machine.progress.pictures)))
        }
        show()
        if case .emit(.refused(let refusal))? = effects.first { return refusal }
        return nil
    }

    private func enter(_ phase: SessionMachine.Phase) {
        emit(.phase(SessionPhase(of: phase)))
        screen.enter(phase, machine.progress)
        if phase == .form, session.form.contains(where: \.isScanned) {
            barcodes.start { [self] code in await handle(code: code) }
        } else {
            barcodes.stop()
        }
        if let input = pilot?.input(in: phase) { handle(input) }
    }

    /// Carries out an effect of a step.
    ///
    /// - Parameter phase: The phase before the step.
    private func carryOut(_ effect: SessionMachine.Effect, from phase: SessionMachine.Phase) {
        switch effect {
        case .useCamera(let role, let besides):
            for change in cameras.use(role, besides: besides) { handle(change) }
        case .watch(let requests): gates.judge(by: requests, in: screen.outline(of: stageInHand), on: screen.size)
        case .wake(let time): alarm.set(time) { [self] in await wake() }
        case .rememberTutorial: rememberTutorial()
        case .countdown(let left): count(left)
        case .capture(let taking): capture(taking)
        case .record(let taking): record(taking)
        case .endClip: recorder?.stop()
        case .remaining(let left): showRemaining(left)
        case .bring(let taking): bring(taking)
        case .callOff(let picture):
            pictures.cancel(picture)
            pictureTasks.callOff()
        case .release(let released): pictures.release(released.map(\.number))
        // The files keep their names; the record lists them as set aside.
        case .setAside(let pictures): storage.emitWhenDurable(.setAside(numbers: pictures.map(\.number)))
        case .emit(let notice): handle(notice: notice)
        // A session that has not begun has no last screen.
        case .end(let ending) where phase.isBeforeStart: conclude(SessionOutcome.Ending(ending))
        case .end(let ending): showFarewell(SessionOutcome.Ending(ending))
        }
    }

    private func wake() { if !Task.isCancelled { handle(.wake) } }

    private func count(_ left: Duration) {
        guard let stage = stageInHand else { return }
        screen.count(left)
        emit(.countdown(stage: stage, remaining: left))
        chime.play(.tick)
    }

    private func showRemaining(_ left: Duration) {
        guard let stage = stageInHand else { return }
        screen.showRemaining(left)
        emit(.recording(stage: stage, remaining: left))
    }

    private func rememberTutorial() {
        // An automatic session has no user who has seen it.
        guard let memory = configuration.tutorialMemory, !configuration.isAutomatic else { return }
        let name = session.name
        storage.add { await BlockingWork.run { memory.remember(name) } }
    }

    /// Shows a notice, and emits its event. An event about stored state waits until that state is durable.
    private func handle(notice: SessionMachine.Notice) {
        screen.apply(notice)
        switch notice {
        case .stage(let stage):
            emit(.stage(stage, session.stages[stage]))
            learnLatency()
        case .stageDone(let stage): storage.emitWhenDurable(.stageDone(stage))
        case .skipped(let stage): storage.emitWhenDurable(.skipped(stage))
        case .aborted(let stage, let reason, let policy):
            chime.play(.abort)
            emit(.aborted(stage: stage, SessionAbort(reason), policy))
        case .failed(let stage, let error): emit(.failed(stage: stage, error))
        case .overruled(let kind):
            let message = "gate \"\(kind.rawValue)\" timed out; continuing without it"
            emit(.notice(Notice(.gateTimedOut, about: kind.rawValue, message)))
        // `SessionCameras` emits these.
        case .cameraLost, .cameraBack: break
        case .idle:
            let limit = session.idle?.shortText ?? ""
            emit(.notice(Notice(.sessionIdle, about: session.name, "no request for \(limit); the session is canceled")))
        case .refused(let refusal):
            emit(.refused(reason: refusal.rawValue, explanation: refusal.explanation))
        }
        if let error = pilot?.handle(notice) { conclude(.failed(error)) }
    }

    /// Updates the view if it has changed.
    private func show() {
        var scene = SessionScene(machine.phase, machine.progress)
        scene.abort = machine.phase.stage.map(machine.abortPolicy) ?? session.abort
        scene.hints = gates.hints
        (scene.hasCamera, scene.hasSeveralCameras) = (!cameras.roles.isEmpty, cameras.roles.count > 1)
        pictures.addFiles(to: &scene)
        screen.show(scene, camera: cameras.current?.camera.name ?? "")
    }

    func emit(_ event: SessionEvent) { broadcast.emit(event) }

    /// The current stage; `nil` outside of stages.
    private var stageInHand: Int? { machine.phase.stage }
}

/// The pictures: each is captured by the shown camera, or comes from the library.
extension SessionController {
    private func capture(_ taking: Taking) {
        let used = cameras.used
        guard used.count == 1 + taking.besides.count else {
            return finish(taking, .failed(picture: taking.number, .noCameraNow))
        }
        pictureTasks.capture { [self] in await capture(taking, with: used) }
    }

    private func record(_ taking: Taking) {
        let stage = session.stages[taking.stage]
        guard let camera = cameras.used.first, let length = stage.clip else {
            return finish(taking, .failed(picture: taking.number, .noCameraNow))
        }
        let recorder = camera.recorder(
            length: length, stage.video, configuration.microphone(of: stage), configuration.encoders)
        self.recorder = recorder
        pictureTasks.capture { [self] in await record(taking, by: recorder) }
    }

    private func record(_ taking: Taking, by recorder: SessionRecorder) async {
        let input = await pictures.record(
            taking, by: recorder, { [self] in await awaitZero(of: $0) }, { [self] in await begin(taking) })
        if self.recorder === recorder { self.recorder = nil }
        finish(taking, input)
    }

    private func begin(_ taking: Taking) { if !Task.isCancelled { handle(.begun(picture: taking.number)) } }

    private func bring(_ taking: Taking) {
        guard let file = taking.file ?? pictures.dequeue(for: taking.number) else {
            return finish(taking, .failed(picture: taking.number, .emptyLibrary))
        }
        pictureTasks.bring { [self] in await bring(file, taking) }
    }

    private func capture(_ taking: Taking, with cameras: [SessionCamera]) async {
        let outline = screen.outline(of: taking.stage)
        finish(taking, await pictures.capture(taking, with: cameras, along: outline) { [self] in await signal($0) })
    }

    private func bring(_ file: Taking.LibraryFile, _ taking: Taking) async {
        finish(taking, await pictures.bring(file, taking, along: screen.outline(of: taking.stage)))
    }

    /// Waits for zero, and signals the capture by the flash and a sound.
    ///
    /// - Returns: The picture with the gates' scores and the preview's geometry of that moment; unchanged if the
    ///   picture was canceled before.
    private func signal(_ taking: Taking) async -> Taking {
        await awaitZero(of: taking) {
            chime.play(.shot)
            return screen.flash()
        }
    }

    /// Waits for zero, and ends the countdown. A clip begins without a sound, which it would record.
    private func awaitZero(of clip: Taking) async -> Taking {
        await awaitZero(of: clip) { screen.endCountdown() }
    }

    /// - Parameter act: Called at zero; returns the preview's geometry.
    private func awaitZero(of taking: Taking, _ act: () -> StillGeometry?) async -> Taking {
        let left = taking.zero - PipelineClock.system.now
        if left > .zero { try? await Task.sleep(for: left, tolerance: .zero, clock: .suspending) }
        guard !Task.isCancelled else { return taking }
        var taking = taking
        (taking.scores, taking.geometry) = (gates.scores, act())
        show()
        return taking
    }

    /// Passes the result of a picture to the machine, which releases a stored picture that was canceled. After the end,
    /// the picture is removed.
    ///
    /// - Parameter input: The result; `nil` if there is nothing to report.
    private func finish(_ taking: Taking, _ input: SessionMachine.Input?) {
        guard ending == nil else { return pictures.release([taking.number]) }
        if let input { handle(input) }
    }
}

/// The events of the cameras, the preview and the gates.
extension SessionController {
    private func handle(_ event: SessionCamera.Event, of camera: SessionCamera) {
        if let change = cameras.handle(event, of: camera) { handle(change) }
    }

    private func handle(_ change: SessionCameras.Change) {
        switch change {
        case .ready(let role, let besides, let isNew):
            if isNew { learnLatency() }
            handle(.cameraReady(role, besides: besides))
        case .lost(let error): lose(error)
        case .gone(let error, let isNew):
            if isNew { lose(error) }
            // If no stage waits for a camera, `SessionCameras.use(_:)` reports the loss again at the next use.
            guard let stage = machine.stageWithoutCamera else { return }
            guard session.stages[stage].camera == nil, cameras.hasOther else { return conclude(.failed(error)) }
            handle(.switchCamera)
        }
    }

    private func lose(_ error: CaptureError) {
        screen.lose(error)
        handle(.cameraLost)
    }

    /// Passes the latency of the slowest camera in use to the machine. It depends on the stage: pictures chosen from
    /// several frames must be requested earlier.
    private func learnLatency() {
        let used = cameras.used
        guard !used.isEmpty else { return }
        let count = stageInHand.map { session.stages[$0].bestOf } ?? 1
        let isClip = stageInHand.map { session.stages[$0].clip != nil } ?? false
        tasks.add { [self] in
            var latency = isClip ? SessionRecorder.lead : .zero
            for camera in used { latency = max(latency, await camera.lead(bestOf: count)) }
            await handle(.latency(latency))
        }
    }

    private func handle(gate finding: GateFinding) {
        guard gates.handle(finding) else { return }
        emit(.gate(finding))
        // `handle` also shows the hint.
        handle(.gate(finding.kind, holds: finding.holds))
    }

    /// Fills a field with a code.
    private func handle(code: Result<String, CaptureError>) {
        guard machine.phase == .form, let field = session.scannedField(after: machine.progress.form) else { return }
        do throws(CaptureError) {
            let text = try code.get()
            guard text != machine.progress.form[field.name], text != refusedCode else { return }
            refusedCode = text
            let values = try session.checkedForm([field.name: text], isComplete: false)
            refusedCode = ""
            handle(.fill(values))
            emit(.filled(values))
            chime.play(.shot)
        } catch {
            if case .failure = code { emit(.notice(Notice(.information, error.description))) }
            screen.setNotice(error.summary)
            emit(.refused(reason: "invalid-field", explanation: error.summary))
        }
        show()
    }

    private func handle(preview event: PreviewScreen.Event) {
        switch event {
        case .size(let size):
            let isOther = screen.resize(to: size)
            emit(.previewing(width: size.width, height: size.height))
            show()
            // On frames of another size, such as the first of a camera, the outline has another place.
            if isOther { gates.judgeAgain(in: screen.outline(of: stageInHand), on: size) }
        case .key(let key): emit(.key(key))
        case .press(let x, let y): press(at: PixelPoint(x, y))
        case .ended(let error):
            emit(.previewEnded(error))
            // Without the window, the user cannot follow the session.
            conclude(error.map(SessionOutcome.Ending.failed) ?? .left)
        }
    }

    /// Handles a press on the preview: a button acts like its key, and a tile of the review is shown alone.
    private func press(at place: PixelPoint) {
        guard configuration.hasButtons, !screen.isHelpShown else { return emit(.press) }
        switch screen.target(at: place) {
        case .button(let key): emit(.key(key.rawValue))
        case .tile(let tile): lookCloser(atShown: tile)
        case .nothing: emit(.press)
        }
    }

    private func handle(overlay event: OverlayEvent) {
        if case .failed(let layer, let error) = event, screen.fail(layer: layer) {
            emit(.notice(Notice(error, ofLayer: layer)))
        }
    }
}

/// The state for requests and programs.
extension SessionController {
    /// The phase of the session.
    var phase: SessionMachine.Phase { machine.phase }

    /// The progress of the session.
    var progress: SessionProgress { machine.progress }

    /// `true` while the pictures of an earlier run are not known yet.
    var isResuming: Bool {
        if case .resumed = configuration.output { !isPrepared } else { false }
    }

    /// `true` if the preview shows buttons.
    nonisolated var hasButtons: Bool { configuration.hasButtons }

    /// `true` if the session keeps the pictures of aborted runs.
    nonisolated var keepsAborted: Bool { session.keepsAborted }

    /// Changes the state of the screen, then updates the view.
    @discardableResult
    func changeScreen<Result>(_ change: (SessionScreen) -> Result) -> Result {
        defer { show() }
        return change(screen)
    }

    /// Turns mirroring of the preview on or off, from the next frame on. Any thread may call it.
    public nonisolated func mirrorPreview(_ isOn: Bool) { preview.mirror(isOn) }

    /// Returns the state of the session.
    public func snapshot() async -> SessionSnapshot {
        let path = await storage.path
        let current = cameras.current
        return SessionSnapshot(
            lastEvent: broadcast.lastNumber, phase: SessionPhase(of: machine.phase), progress: machine.progress,
            pictures: pictures.records(of: machine.progress.pictures), folder: path, camera: current?.camera.id,
            role: current?.role,
            isCameraReady: current?.isReady ?? false)
    }

    /// Returns the events with their numbers; the stream ends after ``SessionEvent/finished(_:)``. Any number of tasks
    /// may listen, each to a separate stream. Any thread may call it.
    ///
    /// - Parameters:
    ///   - number: The number of the last event that the listener has. Later events among the newest 10,000 come first.
    ///     `nil` for the events from now on.
    ///   - capacity: The number of events buffered for a slow listener. If the buffer is full, the oldest events are
    ///     dropped, which leaves gaps in the numbers.
    public nonisolated func listen(
        after number: Int? = nil, buffering capacity: Int = 10_000
    ) -> AsyncStream<NumberedSessionEvent> {
        broadcast.listen(after: number, buffering: capacity)
    }
}

extension SessionMachine.Effect {
    /// Whether the storage emits its event, once all saves so far are durable.
    fileprivate var isReported: Bool {
        switch self {
        case .release, .setAside, .emit(.stageDone), .emit(.skipped): true
        default: false
        }
    }
}
