// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import PipelineKit

/// Takes pictures: opens the camera, waits for its exposure, takes each slot's frame, and makes it durable.
///
/// What to do next is decided by ``CaptureMachine``, which is pure; the controller carries it out. It runs once: to
/// capture again, make another.
///
///     let controller = CaptureController(configuration)
///     Task { for await event in controller.events { print(event) } }
///     let summary = await controller.run()
public actor CaptureController {
    /// What happens, as it happens; ends after ``CaptureEvent/finished(_:)``. One task may iterate it. Of a listener that
    /// is more than 4096 events behind, the oldest are dropped.
    public nonisolated let events: AsyncStream<CaptureEvent>

    nonisolated let configuration: CaptureConfiguration
    let announce: AsyncStream<CaptureEvent>.Continuation
    let writer: StillWriter
    let ledger: Ledger?
    /// The clocks that the machine was told of.
    let clocks = ClockReading.now()
    nonisolated let overlay: Overlay?
    nonisolated let preview: PreviewScreen?
    var values: PreviewValues
    var failedLayers: Set<String> = []
    var machine: CaptureMachine
    var summary = CaptureSummary()
    var signsOfLife = Pulse()
    nonisolated let camera: SupervisedCamera
    var open: OpenCamera?
    var frameDuration = Duration.milliseconds(100)
    var loss: CaptureError?
    var feed: FrameFeed?
    var alarm = Alarm()
    var picking = TaskChain()
    var writing = TaskChain()
    var warming = TaskChain()
    var opening: Task<Void, Never>?
    var retry: Task<Void, Never>?
    var closing: Task<Void, Never>?
    var clockWatch: Task<Void, Never>?
    var watches: [Task<Void, Never>] = []
    var waiting: [CheckedContinuation<Void, Never>] = []

    /// Prepares a capture; nothing is opened yet.
    ///
    /// - Parameter rasteriser: What draws the layers of the preview, and of ``CaptureConfiguration/burnIn``; without one
    ///   neither has any, and a notice tells so of stills.
    public init(_ configuration: CaptureConfiguration, rasteriser: (any Rasteriser)? = nil) {
        var shared = configuration
        // The writer has it. A second copy would keep what the writer removes.
        shared.inventory = nil
        self.configuration = shared
        overlay = configuration.preview.flatMap { _ in rasteriser.map(Overlay.init) }
        preview = configuration.preview.map { [overlay] in
            PreviewScreen($0, overlay, rasteriser, orientation: configuration.orientation)
        }
        camera = SupervisedCamera(configuration, preview: preview)
        values = PreviewValues(camera: configuration.cameraName)
        (events, announce) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
        writer = StillWriter(configuration, rasteriser)
        ledger = Ledger(configuration) { [announce] in announce.yield(.notice($0)) }
        machine = CaptureMachine(CaptureMachine.Plan(configuration, timeLine: clocks.timeLine))
    }

    /// Does all of it, and returns when every picture is accounted for and the camera is closed.
    ///
    /// It does not throw: ``CaptureSummary/ending`` tells. Called again, it waits for the same capture.
    public func run() async -> CaptureSummary {
        if machine.phase != .ended {
            await withCheckedContinuation { continuation in
                waiting.append(continuation)
                handle(.start)
                watchClocks()
            }
        }
        await close()
        announce.yield(.finished(summary))
        announce.finish()
        return summary
    }

    /// Signs of life, for whoever watches over it. A controller that is held up by what it called never answers.
    public var pulse: Pulse {
        var pulse = signsOfLife
        pulse.lastFrame = open?.session.lastArrival
        return pulse
    }

    /// Takes a picture now, out of the schedule.
    public func trigger() { handle(.trigger) }

    /// Takes a picture after this long, and counts the seconds: the self-timer. While one is counted down to, that one is
    /// called off instead: there are never two countdowns. Of a single picture the moment is settled; nothing happens.
    public func trigger(after delay: Duration) { handle(.timer(delay)) }

    /// Takes a picture now and one every so long from then on, or no more of these; for ``Schedule/onRequest(count:for:)``.
    public func repeatPictures(every interval: Duration?) { handle(.repetition(interval)) }

    /// Shows the preview as a mirror does, or not. Without a preview nothing happens.
    public nonisolated func mirrorPreview(_ isOn: Bool) { preview?.mirror(isOn) }

    /// Draws these layers on the preview in place of those before; none to hide them. Without a preview, or what draws
    /// on it, nothing happens.
    public nonisolated func show(_ layers: [Layer]) { overlay?.show(layers, appearance: configuration.appearance) }

    /// Stops after the picture in hand.
    public func finish() { handle(.finish) }

    /// Stops at once; a picture that is being chosen is given up. Where all were chosen, or it was stopping already, what
    /// is being stored is given up, too, and told as ``CaptureEvent/failed(_:_:)``.
    public func cancel() { handle(.cancel) }

    /// Lets a capture with other settings continue this one after it is over: its limits are for the pictures of both, its
    /// numbers continue, and its slots follow without a gap, if it has a ``CaptureConfiguration/position``.
    public func handOver(to configuration: inout CaptureConfiguration) async {
        configuration.succession = SeriesSuccession(from: self.configuration.schedule, to: configuration.schedule)
        configuration.nextSequence = await writer.sequenceToGoOn
        configuration.inventory = await writer.inventory
        guard configuration.limits.policy.removes, configuration.inventory?.keepsStills == false else { return }
        configuration.inventory = await Ledger.inventory(at: self.configuration.ledger, for: configuration)
    }

    /// Tries for the last time to store the pictures that wait, and closes the ledger: for whoever ends the process
    /// without waiting for ``run()``, as threads hang. It takes two seconds at most.
    public func rescue(_ ending: CaptureSummary.Ending) async {
        let deadline = Deadline(subject: configuration.sourceName, limit: .seconds(2))
        try? await deadline.bound("storing") { [self] in
            await endStoring()
            await ledger?.close(ending)
        }
    }

    // MARK: Effects

    func handle(_ input: CaptureMachine.Input) {
        for effect in machine.handle(input, at: PipelineClock.system.now) { carryOut(effect) }
        if machine.needsNoFrames { release() }
    }

    /// Lets go of the camera, which others may wait for, while the last pictures are still being written.
    func release() {
        guard closing == nil else { return }
        for watch in watches { watch.cancel() }
        closing = Task {
            await camera.close()
            await preview?.close()
        }
    }

    func carryOut(_ effect: CaptureMachine.Effect) {
        switch effect {
        case .open: opening = Task { await begin() }
        case .rest(let slot): rest(until: slot)
        case .rouse: Task { await camera.open() }
        case .wake(let time): alarm.set(time) { [self] in await wake() }
        // One slot after the other: one that is abandoned puts its flash out before the next lights it.
        case .pick(let slot): picking.add { [self] in await take(slot) }
        case .abandonPick: picking.cancelLast()
        case .upcoming(let slot, let left): tell(.upcoming(slot, in: left))
        case .countdown(let slot, let left): tell(.countdown(slot, remaining: left))
        case .calledOff(let slot): tell(.calledOff(slot))
        case .missed(let slots, let reason): tell(.missed(slots, reason))
        case .end(let ending): end(ending)
        }
    }

    func tell(_ event: CaptureEvent) {
        summary.account(for: event)
        note(event)
        signsOfLife.note(event, at: PipelineClock.system.now)
        announce.yield(event)
        if values.apply(event) { overlay?.set(values.texts) }
    }

    /// A picture that is taken at once is over before a clock could matter.
    func watchClocks() {
        let schedule = configuration.schedule
        guard !schedule.isOnePicture || schedule.awaitsWallClock || configuration.delay > .zero else { return }
        let changes = ClockWatch.changes(since: clocks)
        clockWatch = Task { for await change in changes { take(change) } }
    }

    func take(_ change: ClockChange) {
        switch change {
        case .suspended(let span): handle(.suspended(span))
        case .set(let timeLine): handle(.clockSet(timeLine))
        }
    }

    func wake() { if !Task.isCancelled { handle(.wake) } }

    func end(_ ending: CaptureSummary.Ending) {
        alarm.cancel()
        clockWatch?.cancel()
        opening?.cancel()
        summary.ending = ending
        summary.unreached = machine.unreachedSlots
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// Waits for all that was begun: nothing may happen after the end, and nothing stay open.
    func close() async {
        // What is given up must not be waited for.
        if machine.backlog > 0 { await writer.close() }
        await opening?.value
        // Whoever waits in a driver that hangs waits for ever.
        if !summary.isWedged { await picking.finish() }
        await endStoring()
        await writer.close()
        await ledger?.close(summary.ending)
        release()
        await closing?.value
        await preview?.close()
    }
}
