// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CropKit
import OverlayCompositor
import PipelineKit
import PresetKit
import StillKit

/// Leads a user through a session: shows each stage, counts down, captures the pictures, and stores them together.
///
/// `SessionMachine`, which is pure, decides the next step; the controller carries it out. A controller runs once.
///
///     let controller = SessionController(session, configuration, rasterizer: rasterizer)
///     Task { for await event in controller.events { print(event) } }
///     let outcome = await controller.run()
///
/// Write order of each picture: (1) `session.json` reserving the picture's number, (2) the picture, (3) `session.json`
/// listing it, (4) the event. A crash at any point leaves a folder that can be resumed.
public actor SessionController {
    /// All events from the first on; ends after ``SessionEvent/finished(_:)``. One task may iterate the sequence;
    /// ``listen(buffering:)`` serves others. A task that is more than 4096 events behind loses the oldest.
    public nonisolated let events: AsyncMapSequence<AsyncStream<NumberedSessionEvent>, SessionEvent>

    /// A library picture that a request names, and how it is moved under the outline.
    typealias Wanted = (path: String, adjustment: CropAdjustment)

    nonisolated let session: SessionDescription
    nonisolated let configuration: SessionConfiguration
    nonisolated let broadcast = EventBroadcast<SessionEvent>()
    private nonisolated let overlay: Overlay?
    nonisolated let screen: PreviewScreen
    nonisolated let gates: GateWatch
    nonisolated let chime: Chime
    nonisolated let cropper: SessionCropper?
    private nonisolated let planner: OverlayPlanner?
    let cameras: [CameraRole: SessionCamera]
    nonisolated let storage: SessionStorage

    var machine: SessionMachine
    private var record: SessionRecord
    /// The records of the pictures, by number.
    var stills: [Int: SessionStill] = [:]
    private var pilot: SessionAutopilot?
    /// Inputs that are not handled yet: handling one can append others. Requests made before the session is prepared
    /// wait here.
    private var inputs: [(input: SessionMachine.Input, picture: Wanted?)] = [(.begin, nil)]
    private var isHandling = true
    private var alarm = Alarm()
    var flash = Alarm()
    var prompt = Alarm()
    /// How the session ended, while its last screen is shown.
    private var farewell: SessionOutcome.Ending?
    var taking = TaskChain()
    var bringing = TaskChain()
    var switching = TaskChain()
    /// The gates' scores and the preview's geometry when the countdown reached zero.
    var moment: (scores: [GateScore], geometry: StillGeometry?)?
    /// The gates that are judged now.
    private var watched: [GateRequest] = []
    private var watching: Task<Void, Never>?
    /// The tasks that need the cameras or the preview.
    let tasks = TaskScope()
    /// The camera that is shown, and the role that it plays.
    var current: (camera: SessionCamera, role: CameraRole, isReady: Bool)?
    /// The library picture that the current request names.
    var wanted: Wanted?
    /// The library pictures that can be brought in.
    var library: LibraryQueue
    /// The errors of cameras that are lost for good. One camera can play both roles.
    var gone: [ObjectIdentifier: CaptureError] = [:]
    var display = SessionDisplay()
    /// The number of pictures in a row whose edges were not found, by stage.
    var unrectified: [Int: Int] = [:]
    var ending: SessionOutcome.Ending?
    private var running: Task<SessionOutcome, Never>?
    /// Resumed when ``ending`` is set.
    private var ended: CheckedContinuation<Void, Never>?

    /// Prepares a session; it opens nothing yet.
    ///
    /// - Parameters:
    ///   - hub: Owns the cameras, which other jobs may use at the same time; `nil` if this session is the only job.
    ///   - rasterizer: Draws outlines, text, pages, and the shapes of crops; `nil` for none of them.
    public init(
        _ session: SessionDescription, _ configuration: SessionConfiguration, hub: CameraHub? = nil,
        rasterizer: (any Rasterizer)? = nil
    ) {
        (self.session, self.configuration) = (session, configuration)
        library = LibraryQueue(configuration.library)
        events = broadcast.listen(buffering: 4096).map(\.event)
        overlay = rasterizer.map(Overlay.init)
        gates = GateWatch(accelerometer: configuration.accelerometer)
        let usual = CameraRole.allCases.lazy.compactMap { configuration.cameras[$0] }.first
        screen = PreviewScreen(
            configuration.preview, overlay, rasterizer, observer: gates, orientation: usual?.orientation ?? .upright)
        chime = Chime(configuration.sound) { [broadcast] in broadcast.emit(.notice(Notice(.soundFailed, $0))) }
        cropper = rasterizer.map { [quality = configuration.cropQuality] in
            SessionCropper(cropper: StillCropper($0), quality: quality)
        }
        planner = rasterizer.map { OverlayPlanner($0) }
        // Both roles may have the same camera.
        let hub = hub ?? CameraHub()
        cameras = configuration.cameras.mapValues { [screen] camera in
            SessionCamera(camera, preview: screen, configuration.preview, hub: hub, rasterizer)
        }
        machine = SessionMachine(session)
        record = SessionRecord(session, begun: configuration.wallClock())
        record.definition = configuration.definition?.path
        storage = SessionStorage(session, configuration, broadcast)
    }

    /// Runs the session; returns when it is over or left, and everything is closed.
    ///
    /// It does not throw: ``SessionOutcome/ending`` holds the error. A second call waits for the same session. If a task
    /// that waits is canceled, the session is left, see ``leave()``.
    public func run() async -> SessionOutcome {
        // Not a child of the caller's task, whose cancellation must not reach the tasks that store pictures.
        let running = self.running ?? Task { await perform() }
        self.running = running
        return await withTaskCancellationHandler {
            await running.value
        } onCancel: {
            Task { await leave() }
        }
    }

    private func perform() async -> SessionOutcome {
        let running = Task { [tasks] in await tasks.run() }
        do throws(CaptureError) {
            try await prepare()
            handleAll()
        } catch {
            conclude(.failed(error))
        }
        if ending == nil { await withCheckedContinuation { ended = $0 } }
        let outcome = await close()
        await running.value
        broadcast.emit(.finished(outcome))
        broadcast.finish()
        return outcome
    }
}

/// The begin and the end.
extension SessionController {
    /// Checks all that the session needs, then opens the preview.
    private func prepare() async throws(CaptureError) {
        try configuration.preview.sink.check(.current)
        try configuration.sound.check()
        var plan = SessionMachine.Plan()
        plan.hasSeveralCameras = cameras.count > 1
        plan.usualCamera = CameraRole.allCases.first { cameras[$0] != nil } ?? .front
        if let memory = configuration.tutorialMemory {
            let name = session.name
            plan.knowsTutorial = await BlockingWork.run { memory.knows(name) }
        }
        machine = SessionMachine(session, plan)
        let shapes = try await SessionShapes(session, in: configuration.outlines)
        if let planner { try await shapes.check(by: planner) }
        display.outlines = shapes.outlines
        try await prepareStorage()
        if configuration.isAutomatic { pilot = SessionAutopilot(brings: !configuration.library.isEmpty) }
        watchCameras()
        tasks.add { [self] in for await event in screen.events { await handle(preview: event) } }
        tasks.add { [self] in for await finding in gates.findings { await handle(gate: finding) } }
        if let overlay {
            tasks.add { [self] in for await event in overlay.events { await handle(overlay: event) } }
        }
        try await screen.start()
    }

    /// Prepares the folder, and continues with the progress of an earlier run.
    private func prepareStorage() async throws(CaptureError) {
        guard let (record, missing) = try await storage.prepare() else { return }
        (self.record, stills) = (record, record.stills)
        machine = try SessionMachine(session, machine.plan, from: forget(missing, in: record.progress))
        try await storage.removeStrays(but: Array(record.stills.values))
        library.restore(machine.progress.pictures.compactMap { stills[$0.number] })
        library.follow(machine.progress)
        emitOtherCameras()
        guard let path = await storage.path else { return }
        for (number, still) in stills {
            display.files[number] = path + "/" + still.best.name
            display.wholes[number] = path + "/" + still.file.name
        }
    }

    /// Drops the records of files that are missing.
    private func forget(_ missing: Set<String>, in progress: SessionProgress) -> SessionProgress {
        for name in missing.sorted() {
            emit(.notice(Notice(.pictureMissing, about: name, "\(name) is gone from the session's folder")))
        }
        let lost = stills.filter { missing.contains($0.value.file.name) }.keys
        for number in lost { stills[number] = nil }
        for (number, still) in stills {
            if let crop = still.crop, missing.contains(crop.file.name) { stills[number]?.crop = nil }
        }
        var progress = progress
        progress.lose(Set(lost))
        return progress
    }

    private func emitOtherCameras() {
        let others = Set(stills.values.compactMap(\.camera)).subtracting(cameras.values.map(\.id))
        guard !others.isEmpty else { return }
        let names = others.sorted().joined(separator: ", ")
        emit(.notice(Notice(.cameraChanged, about: names, "earlier pictures are from \(names)")))
    }

    private func handle(preview event: PreviewScreen.Event) {
        switch event {
        case .size(let size):
            let isOther = display.size != size
            display.size = size
            emit(.previewing(width: size.width, height: size.height))
            show()
            // On frames of another shape, such as the first of a camera, the outline lies elsewhere.
            if isOther { watch(watched) }
        case .key(let key): emit(.key(key))
        case .press: emit(.press)
        case .ended(let error):
            emit(.previewEnded(error))
            // Without its window the user cannot follow the session. A session without a window is not affected.
            conclude(error.map(SessionOutcome.Ending.failed) ?? .left)
        }
    }

    private func handle(overlay event: OverlayEvent) {
        if case .failed(let layer, let error) = event, display.failedLayers.insert(layer).inserted {
            emit(.notice(Notice(error, ofLayer: layer)))
        }
    }

    /// Waits for all pending work, then closes everything: nothing may happen after the end, and nothing may stay open.
    private func close() async -> SessionOutcome {
        callOff()
        watching?.cancel()
        await watching?.value
        gates.watch([])
        await taking.finish()
        await bringing.finish()
        let failure = await storage.finish(record.with(machine.progress, stills))
        if let failure, ending == .accepted || ending == .cancelled { ending = .failed(failure) }
        tasks.end()
        await switching.finish()
        for camera in cameras.values { await camera.close() }
        await screen.close()
        await chime.close()
        return await deliver()
    }

    private func deliver() async -> SessionOutcome {
        let ending = ending ?? .left
        var pictures: [SessionOutcome.Picture] = []
        if ending != .cancelled {
            for still in machine.progress.pictures.compactMap({ stills[$0.number] }) {
                pictures.append(await storage.picture(still))
            }
        }
        let kept = (machine.progress.setAside + machine.progress.pictures).compactMap { stills[$0.number] }
        let path = await storage.close(
            keeping: kept, isCancelled: ending == .cancelled,
            isEmpty: !machine.progress.isBegun && machine.progress.setAside.isEmpty)
        return SessionOutcome(
            ending: ending, folder: path, pictures: pictures,
            skipped: machine.progress.stages.filter { $0.state == .skipped }.map(\.name))
    }
}

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
            storage.save(record.with(machine.progress, stills))
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
        storage.begin(at: now)
    }

    private func enter(_ phase: SessionMachine.Phase) {
        emit(.phase(SessionPhase(of: phase)))
        display.enter(phase)
        if phase == .review {
            storage.emitWhenDurable(.review(machine.progress.pictures.compactMap { stills[$0.number] }))
        }
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
        case .setAside(let pictures): storage.emitWhenDurable(.setAside(numbers: pictures.map(\.number)))
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
        storage.emitWhenDurable(still)
    }

    /// Removes pictures that no longer belong to the session, once the saved record omits them.
    private func release(_ pictures: [SessionPicture]) {
        let numbers = pictures.map(\.number)
        let known = numbers.compactMap { stills[$0] }
        for number in numbers { (stills[number], display.files[number], display.wholes[number]) = (nil, nil, nil) }
        storage.remove(known)
    }

    private func rememberTutorial() {
        // An automatic session has no user who has seen it.
        guard let memory = configuration.tutorialMemory, !configuration.isAutomatic else { return }
        let name = session.name
        storage.add { await BlockingWork.run { memory.remember(name) } }
    }

    /// Shows a notice and emits its event. Events of stored state wait until that is durable.
    private func handle(notice: SessionMachine.Notice) {
        display.apply(notice)
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
        ended?.resume()
        ended = nil
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

/// The gates, and the view on the preview.
extension SessionController {
    /// Judges frames by these gates once the place of the outline is known.
    func watch(_ requests: [GateRequest]) {
        watched = requests
        display.hints = [:]
        display.generation = gates.watch([])
        watching?.cancel()
        let outline = stageInHand.flatMap { session.stages[$0].outline }.flatMap { display.outlines[$0] }
        guard !requests.isEmpty else { return }
        watching = Task {
            let subject = await subject(of: outline)
            guard !Task.isCancelled, ending == nil else { return }
            display.generation = gates.watch(requests, of: subject)
        }
    }

    /// The subject of an outline; `nil` if there is no outline, or if it cannot be drawn, which the overlay reports.
    private func subject(of outline: Outline?) async -> GateSubject? {
        guard let outline, let planner else { return nil }
        return try? await GateSubject(of: outline, SessionComposer.outlinePlacement, on: display.size, by: planner)
    }

    private func handle(gate finding: GateFinding) {
        // Findings of an earlier stage are ignored.
        guard finding.generation == display.generation else { return }
        display.hints[finding.kind] = finding.holds ? nil : finding.hint
        emit(.gate(finding))
        // `handle` also shows the hint.
        handle(.gate(finding.kind, holds: finding.holds))
    }

    // MARK: The picture

    var composer: SessionComposer { SessionComposer(session, outlines: display.outlines, on: display.size) }

    /// The values of placeholders in the user's layers.
    private func values(_ scene: SessionScene) -> [String: String] {
        guard !configuration.overlay.isEmpty else { return [:] }
        return [
            "n": String(machine.progress.nextPicture), "camera": current?.camera.id ?? "", "countdown": scene.countdown,
            "offset": "",
        ]
    }

    /// Updates the view if it has changed.
    func show() {
        guard overlay != nil else { return }
        display.abort = machine.phase.stage.map(machine.abortPolicy) ?? session.abort
        var scene = display.scene(machine.phase, machine.progress)
        scene.hasKeys = configuration.hasKeys
        (scene.hasCamera, scene.hasSeveralCameras) = (!cameras.isEmpty, cameras.count > 1)
        scene.hasLibrary = !library.isEmpty
        let view = composer.view(scene).adding(values(scene))
        guard view != display.shown else { return }
        let before = display.shown
        display.shown = view
        switch view {
        case .live(let layers, let values):
            overlay?.show(configuration.overlay + layers, appearance: configuration.appearance, values)
            if case .page = before { screen.resume() }
        case .page(let layers, let ground):
            // The first frame after the page must not show the lines and digits of the previous stage.
            overlay?.show([], appearance: configuration.appearance, [:])
            screen.present(layers, over: ground, appearance: configuration.appearance)
        }
    }
}
