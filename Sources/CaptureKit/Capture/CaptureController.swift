// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import LedgerKit
import OverlayCompositor
import PipelineKit
import ScheduleKit
import StillKit

/// Captures pictures: opens the camera, waits until its exposure has converged, chooses a frame for each slot, and
/// makes the picture durable.
///
/// `CaptureMachine`, a pure state machine, decides what to do next; the controller performs its effects. A controller
/// runs once: create another one to capture again.
///
///     let controller = CaptureController(configuration)
///     Task { for await event in controller.events { print(event) } }
///     let summary = await controller.run()
public actor CaptureController {
    /// All events from the first on; ends after ``CaptureEvent/finished(_:)``. One task may iterate the sequence;
    /// ``listen(after:buffering:)`` serves others. A task that is more than 4096 events behind loses the oldest.
    public nonisolated let events: AsyncMapSequence<AsyncStream<NumberedEvent<CaptureEvent>>, CaptureEvent>

    nonisolated let configuration: CaptureConfiguration
    nonisolated let broadcast: EventBroadcast<CaptureEvent>
    let writer: StillWriter
    let ledger: Ledger?
    /// The reading of the clocks that the machine started with.
    let clocks = ClockReading.now()
    nonisolated let overlay: Overlay?
    nonisolated let preview: PreviewScreen?
    var values: PreviewValues
    var failedLayers: Set<Notice> = []
    var machine: CaptureMachine
    var summary = CaptureSummary()
    var signsOfLife = Pulse()
    nonisolated let camera: CameraLease
    var open: OpenCamera?
    var frameDuration = Duration.milliseconds(100)
    var loss: CaptureError?
    var feed: FrameFeed?
    var alarm = Alarm()
    var picking = TaskChain()
    var writing = TaskChain()
    var warming = TaskChain()
    /// The tasks that need the camera or the clocks; they end when the camera is released.
    let tasks = TaskScope()
    var opening: Task<Void, Never>?
    var retry: Task<Void, Never>?
    var closing: Task<Void, Never>?
    private var capture: Task<CaptureSummary, Never>?
    private var ended: CheckedContinuation<Void, Never>?

    /// Prepares a capture; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - hub: Owns the camera, which other jobs may use at the same time; `nil` if this capture is the only job.
    ///   - rasterizer: Draws the layers of the preview and of ``CaptureConfiguration/burnIn``. Without it, neither has
    ///     layers, and a notice reports that for stills.
    public init(
        _ configuration: CaptureConfiguration, hub: CameraHub? = nil, rasterizer: (any Rasterizer)? = nil
    ) {
        var shared = configuration
        // The writer keeps the inventory. A second copy would keep the pictures that the writer removes.
        shared.inventory = nil
        self.configuration = shared
        overlay = configuration.preview.flatMap { _ in rasterizer.map(Overlay.init) }
        preview = configuration.preview.map { [overlay] in
            PreviewScreen($0, overlay, rasterizer, orientation: configuration.orientation)
        }
        camera = (hub ?? CameraHub(isShared: false)).lease(shared, for: configuration.jobName, preview: preview)
        values = PreviewValues(camera: configuration.cameraName)
        // Pictures for the caller are events: keeping them would exhaust the memory.
        broadcast = EventBroadcast(keeping: hub == nil || configuration.output == .caller ? 0 : 10_000)
        events = broadcast.listen(buffering: 4096).map(\.event)
        writer = StillWriter(configuration, rasterizer)
        ledger = Ledger(configuration) { [broadcast] in broadcast.emit(.notice($0)) }
        machine = CaptureMachine(CaptureMachine.Plan(configuration, timeLine: clocks.timeLine))
    }

    /// Runs the capture. Returns when every picture is accounted for and the camera is closed.
    ///
    /// It does not throw: ``CaptureSummary/ending`` has the outcome. A second call waits for the same capture. If a task
    /// that waits is canceled, the capture is, too, see ``cancel()``; it still accounts for every picture.
    public func run() async -> CaptureSummary {
        // Not a child of the caller's task, whose cancellation must not reach the tasks that store pictures.
        let running = capture ?? Task { await perform() }
        capture = running
        return await withTaskCancellationHandler {
            await running.value
        } onCancel: {
            Task { await cancel() }
        }
    }

    private func perform() async -> CaptureSummary {
        let running = Task { [tasks] in await tasks.run() }
        if machine.phase != .ended {
            handle(.start)
            watchClocks()
        }
        if machine.phase != .ended { await withCheckedContinuation { ended = $0 } }
        await close()
        // If the driver hangs, a task that waits for it never ends.
        if !summary.isWedged { await running.value }
        broadcast.emit(.finished(summary))
        broadcast.finish()
        return summary
    }

    /// Signs of life, for a watchdog. If a call blocks the controller, reading this property never returns.
    public var pulse: Pulse {
        var pulse = signsOfLife
        pulse.lastFrame = open?.session.lastArrival
        return pulse
    }

    /// Returns the events with their numbers, for any number of listeners.
    ///
    /// - Parameters:
    ///   - number: The last event that the listener knows: those after it follow, as far as the last 10,000 contain
    ///     them. `nil` for the events from now on. Without a hub, and if ``CaptureConfiguration/output`` is the caller,
    ///     none are kept.
    ///   - capacity: How many events the listener may be behind before it loses the oldest.
    public nonisolated func listen(
        after number: Int? = nil, buffering capacity: Int = 4096
    ) -> AsyncStream<NumberedEvent<CaptureEvent>> {
        broadcast.listen(after: number, buffering: capacity)
    }

    /// Captures a picture now, outside the schedule.
    public func trigger() { handle(.trigger) }

    /// Starts a self-timer: captures a picture after `delay`, and counts down the seconds. If a timer is running,
    /// cancels that timer instead; there are never two countdowns. Does nothing if the schedule is a single picture.
    public func trigger(after delay: Duration) { handle(.timer(delay)) }

    /// Captures a picture now and one every `interval` from then on; `nil` stops the repetition. It requires
    /// `Schedule.onRequest(count:for:)`.
    public func repeatPictures(every interval: Duration?) { handle(.repetition(interval)) }

    /// Mirrors the preview, or stops mirroring it. Does nothing without a preview.
    public nonisolated func mirrorPreview(_ isOn: Bool) { preview?.mirror(isOn) }

    /// Replaces the layers on the preview; an empty array hides them. Does nothing without a preview or a rasterizer.
    public nonisolated func show(_ layers: [Layer]) { overlay?.show(layers, appearance: configuration.appearance) }

    /// Stops after the current picture.
    public func finish() { handle(.finish) }

    /// Stops at once, and abandons the picture that is being chosen. If all pictures are chosen or the capture is
    /// already stopping, it also abandons the pictures that are not stored yet, and emits each as
    /// ``CaptureEvent/failed(_:_:)``.
    public func cancel() { handle(.cancel) }

    /// Hands the series over to a capture with other settings, which starts after this one has ended. Its limits count
    /// the pictures of both captures, and its picture numbers continue. Its slots follow without a gap if it has a
    /// ``CaptureConfiguration/position``.
    public func handOver(to configuration: inout CaptureConfiguration) async {
        configuration.succession = SeriesSuccession(from: self.configuration.schedule, to: configuration.schedule)
        configuration.nextSequence = await writer.sequenceToResume
        configuration.inventory = await writer.inventory
        guard configuration.limits.policy.removes, configuration.inventory?.keepsStills == false else { return }
        configuration.inventory = await Ledger.inventory(at: self.configuration.ledger, for: configuration)
    }

    /// Tries for the last time to store the pending pictures, and closes the ledger. It is for a caller that ends the
    /// process without waiting for ``run()`` because threads hang. It takes two seconds at most.
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

    /// Closes the camera, for which other programs may wait, while the last pictures are still being written.
    func release() {
        guard closing == nil else { return }
        tasks.end()
        closing = Task {
            await camera.close()
            await preview?.close()
        }
    }

    func carryOut(_ effect: CaptureMachine.Effect) {
        switch effect {
        case .open: opening = Task { await begin() }
        case .rest(let slot): rest(until: slot)
        case .rouse: tasks.add { [camera] in await camera.open() }
        case .wake(let time): alarm.set(time) { [self] in await wake() }
        // Picks run one after the other: an abandoned one turns its flash off before the next turns it on.
        case .pick(let slot): picking.add { [self] in await capture(slot) }
        case .abandonPick: picking.cancelLast()
        case .upcoming(let slot, let left): emit(.upcoming(slot, in: left))
        case .countdown(let slot, let left): emit(.countdown(slot, remaining: left))
        case .calledOff(let slot): emit(.calledOff(slot))
        case .missed(let slots, let reason): emit(.missed(slots, reason))
        case .end(let ending): end(ending)
        }
    }

    func emit(_ event: CaptureEvent) {
        summary.account(for: event)
        record(event)
        signsOfLife.record(event, at: PipelineClock.system.now)
        broadcast.emit(event)
        if values.apply(event) { overlay?.set(values.texts) }
    }

    /// Watches the clocks for the machine. A picture that is captured at once ends before a change of the clocks could
    /// matter.
    func watchClocks() {
        let schedule = configuration.schedule
        guard !schedule.isOnePicture || schedule.awaitsWallClock || configuration.delay > .zero else { return }
        let changes = ClockWatch.changes(since: clocks)
        tasks.add { [self] in for await change in changes { await handle(clock: change) } }
    }

    func handle(clock change: ClockChange) {
        switch change {
        case .suspended(let span): handle(.suspended(span))
        case .set(let timeLine): handle(.clockSet(timeLine))
        }
    }

    func wake() { if !Task.isCancelled { handle(.wake) } }

    func end(_ ending: CaptureSummary.Ending) {
        alarm.cancel()
        opening?.cancel()
        summary.ending = ending
        summary.unreached = machine.unreachedSlots
        ended?.resume()
        ended = nil
    }

    /// Waits for everything that the capture started: nothing may happen or stay open after the end.
    func close() async {
        // Abandoned pictures must not delay the end.
        if machine.backlog > 0 { await writer.close() }
        await opening?.value
        // If the driver hangs, the pick that waits for it never ends.
        if !summary.isWedged { await picking.finish() }
        await endStoring()
        await warming.finish()
        await writer.close()
        await ledger?.close(summary.ending)
        release()
        await closing?.value
        await preview?.close()
    }
}
