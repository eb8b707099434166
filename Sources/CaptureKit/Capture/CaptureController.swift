// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CropKit
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
    public nonisolated let events: CaptureEvents

    private nonisolated let configuration: CaptureConfiguration
    private nonisolated let broadcast: EventBroadcast<CaptureEvent>
    private let writer: StillWriter
    private let ledger: Ledger?
    /// The reading of the clocks that the machine started with.
    private let clocks = ClockReading.now()
    private nonisolated let overlay: Overlay?
    private nonisolated let preview: PreviewScreen?
    private var values: PreviewValues
    private var failedLayers: Set<Notice> = []
    private var machine: CaptureMachine
    private var summary = CaptureSummary()
    private var signsOfLife = Pulse()
    private nonisolated let camera: CameraLease
    private var open: OpenCamera?
    private var frameDuration = Duration.milliseconds(100)
    private var loss: CaptureError?
    private var feed: FrameFeed?
    private var alarm = Alarm()
    private var picking = TaskChain()
    private var writing = TaskChain()
    /// The last reading of the exposure, which may still run after its frames were chosen.
    private var reading: Task<ExposureReading?, Never>?
    /// Keeps frames for the movies of live photos; `nil` for plain pictures.
    private let motion: (any MotionRecording)?
    /// The frame of the picture, which the camera delivered before the capture; `nil` to choose one.
    private let earlier: Frame?
    /// Gives the frames of the open camera to ``motion``, and takes them away.
    private var following = TaskChain()
    /// Joins movies to pictures, in the order of the pictures.
    private var joining = TaskChain()
    private var warming = TaskChain()
    /// Closes the camera for rests and opens it again, in the order of the machine's decisions.
    private var resting = TaskChain()
    /// The tasks that need the camera or the clocks; they end when the camera is released.
    private let tasks = TaskScope()
    private var opening: Task<Void, Never>?
    private var retry: Task<Void, Never>?
    private var closing: Task<Void, Never>?
    private var capture: Task<CaptureSummary, Never>?
    /// Cancellations of tasks that wait in ``run()``.
    private nonisolated let cancellations = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private var ended: CheckedContinuation<Void, Never>?

    /// Prepares a capture; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - hub: Owns the camera, which other jobs may use at the same time; `nil` for a hub of this capture alone.
    ///   - rasterizer: Draws the layers of the preview and of ``CaptureConfiguration/burnIn``. Without it, neither has
    ///     layers, and a notice reports that for stills.
    public init(
        _ configuration: CaptureConfiguration, hub: CameraHub? = nil, rasterizer: (any Rasterizer)? = nil
    ) {
        self.init(configuration, hub: hub, rasterizer: rasterizer, motion: nil)
    }

    /// - Parameters:
    ///   - motion: Makes live photos of the pictures; for a configuration with ``CaptureConfiguration/motion``.
    ///   - earlier: The frame of a single picture, which the camera delivered before the capture, see
    ///     ``CameraHub/keptFrame(of:nearestTo:)``; `nil` to choose one.
    package init(
        _ configuration: CaptureConfiguration, hub: CameraHub? = nil, rasterizer: (any Rasterizer)? = nil,
        motion: (any MotionRecording)?, earlier: Frame? = nil
    ) {
        var configuration = configuration
        if motion == nil { configuration.motion = nil }
        var shared = configuration
        // The writer keeps the inventory. A second copy would keep the pictures that the writer removes.
        shared.inventory = nil
        shared.history = max(shared.history, shared.leadTime)
        (self.configuration, self.motion, self.earlier) = (shared, motion, earlier)
        overlay = configuration.preview.flatMap { _ in rasterizer.map(Overlay.init) }
        preview = configuration.preview.map { [overlay] in
            PreviewScreen($0, overlay, rasterizer, orientation: configuration.orientation)
        }
        camera = (hub ?? CameraHub()).lease(
            shared, for: configuration.jobName, preview: preview, isOnly: hub == nil)
        values = PreviewValues(camera: configuration.cameraName)
        // Pictures for the caller are events: keeping them would exhaust the memory.
        broadcast = EventBroadcast(keeping: configuration.output == .caller ? 0 : 10_000)
        events = CaptureEvents(broadcast, heldBytes: configuration.heldBytes)
        let executor = BlockingExecutor("gst-capture.stills")
        ledger = Ledger(configuration, on: executor) { [broadcast] in broadcast.emit(.notice($0)) }
        writer = StillWriter(configuration, rasterizer, ledger: ledger, on: executor)
        machine = CaptureMachine(CaptureMachine.Plan(configuration, timeLine: clocks.timeLine))
    }

    /// Runs the capture. Returns when every picture is accounted for and the camera is closed.
    ///
    /// It does not throw: ``CaptureSummary/ending`` has the outcome. A second call waits for the same capture. If a
    /// task that waits is canceled, the capture is, too, see ``cancel()``; it still accounts for every picture.
    public func run() async -> CaptureSummary {
        // Not a child of the caller's task, whose cancellation must not reach the tasks that store pictures.
        let running = capture ?? Task { await perform() }
        capture = running
        return await withTaskCancellationHandler {
            await running.value
        } onCancel: {
            cancellations.continuation.yield()
        }
    }

    private func handleCancellations() async { for await _ in cancellations.stream { cancel() } }

    private func perform() async -> CaptureSummary {
        async let canceling: Void = handleCancellations()
        let running = Task { [tasks] in await tasks.run() }
        if machine.phase != .ended {
            handle(.start)
            watchClocks()
        }
        if machine.phase != .ended { await withCheckedContinuation { ended = $0 } }
        await close()
        // If the driver hangs, a task that waits for it never ends.
        if !summary.isWedged { await running.value }
        cancellations.continuation.finish()
        await canceling
        broadcast.emit(.finished(summary))
        broadcast.finish()
        return summary
    }

    /// Signs of life, for a watchdog. While a call blocks the controller, reading this property does not return.
    public var pulse: Pulse {
        var pulse = signsOfLife
        pulse.lastFrame = open?.session.lastArrival
        pulse.frames = open?.session.frameCount ?? 0
        return pulse
    }

    /// The slot that is due next; `nil` before the first one is known, and if no further slot is.
    package var nextSlot: Slot? { machine.needsNoFrames ? nil : machine.nextSlot }

    /// Returns the events with their numbers, for any number of listeners.
    ///
    /// - Parameters:
    ///   - number: The last event that the listener knows: those after it follow, as far as the last 10,000 contain
    ///     them. `nil` for the events from now on. No events are kept if ``CaptureConfiguration/output`` is the
    ///     caller.
    ///   - capacity: How many events the listener may be behind before it loses the oldest, kept events included.
    public nonisolated func listen(
        after number: Int? = nil, buffering capacity: Int = 10_000
    ) -> AsyncStream<NumberedEvent<CaptureEvent>> {
        broadcast.listen(after: number, buffering: capacity)
    }

    /// The pipeline of the preview's screen; `nil` if it is not open.
    nonisolated var screen: Pipeline? { preview?.pipeline }

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
    /// ``CaptureEvent/failed(_:_:)``. Movies of live photos that are not complete are abandoned.
    public func cancel() {
        motion?.abandon()
        handle(.cancel)
    }

    /// Hands the series over to a capture with other settings, which starts after this one has ended. Its limits count
    /// the pictures of both captures, and its picture numbers continue. Its slots follow without a gap if it has a
    /// ``CaptureConfiguration/position``.
    public func handOver(to configuration: inout CaptureConfiguration) async {
        configuration.succession = SeriesSuccession(from: self.configuration.schedule, to: configuration.schedule)
        configuration.nextSequence = await writer.sequenceToResume
        configuration.inventory = await writer.inventory
        guard configuration.limits.removes, configuration.inventory?.keepsStills == false else { return }
        configuration.inventory = await Ledger.inventory(at: self.configuration.ledger, for: configuration)
    }

    /// The pictures of the series, for a later capture of this process; `nil` without files or a ledger. Call it after
    /// ``run()`` has returned.
    package func memory() async -> SeriesMemory? {
        guard let inventory = await writer.inventory, let ledger = configuration.ledger else { return nil }
        return await SeriesMemory(inventory, ledger: ledger)
    }

    /// Tries for the last time to store the pending pictures, and closes the ledger. It is for a caller that ends the
    /// process without waiting for ``run()`` because threads hang. It takes two seconds at most.
    public func rescue(_ ending: CaptureSummary.Ending) async {
        let deadline = Deadline(subject: configuration.sourceName, limit: .seconds(2))
        try? await deadline.bound("storing") { [self] in
            await endStoring()
            await settleUnjoined()
            await ledger?.close(ending)
        }
    }
}

/// The effects of the machine, and the end.
extension CaptureController {
    private func handle(_ input: CaptureMachine.Input) {
        for effect in machine.handle(input, at: PipelineClock.system.now) { carryOut(effect) }
        if machine.needsNoFrames { release() }
    }

    /// Closes the camera, for which other programs may wait, while the last pictures are still being written.
    private func release() {
        guard closing == nil else { return }
        tasks.end()
        closing = Task { [reading] in
            // Closing restores the controls.
            _ = await reading?.value
            await endMovies()
            await camera.close()
            await preview?.close()
        }
    }

    private func carryOut(_ effect: CaptureMachine.Effect) {
        switch effect {
        case .open: opening = Task { await begin() }
        case .rest(let slot): rest(until: slot)
        case .rouse: resting.add { [self] in await rouse() }
        case .wake(let time): alarm.set(time) { [self] in await wake() }
        // Picks run one after the other: an abandoned one turns its flash off before the next turns it on.
        case .pick(let slot): picking.add { [self] in await capture(slot) }
        case .abandonPick: picking.cancelLast()
        case .upcoming(let slot, let left): emit(.upcoming(slot, in: left))
        case .countdown(let slot, let left): emit(.countdown(slot, remaining: left))
        case .calledOff(let slot): emit(.calledOff(slot))
        case .missed(let slots, let reason): emit(.missed(slots, reason))
        case .clockIsBehind(let lead): emit(.notice(.clockIsBehind(lead)))
        case .end(let ending): end(ending)
        }
    }

    /// Emits an event. Its line is recorded in the ledger soon, without waiting until it is durable.
    private func emit(_ event: CaptureEvent) {
        beginLedger()
        ledger?.record(event)
        publish(event)
    }

    /// Emits an event whose line is in the ledger already.
    private func publish(_ event: CaptureEvent) {
        summary.account(for: event)
        signsOfLife.record(event, at: PipelineClock.system.now)
        broadcast.emit(event)
        if values.apply(event) { overlay?.set(values.texts) }
        if let motion, case .captured(let still) = event, let picture = UnjoinedStill(still) {
            joining.add { [self, hold = motion.hold(since: picture.moment)] in
                await join(picture, by: motion)
                withExtendedLifetime(hold) {}
            }
        }
    }

    /// Watches the clocks for the machine. A picture that is captured at once ends before a change of the clocks could
    /// matter.
    private func watchClocks() {
        let schedule = configuration.schedule
        guard !schedule.isOnePicture || schedule.awaitsWallClock || configuration.delay > .zero else { return }
        let changes = ClockWatch.changes(since: clocks)
        tasks.add { [self] in for await change in changes { await handle(clock: change) } }
    }

    private func handle(clock change: ClockChange) {
        switch change {
        case .suspended(let span):
            // The newest frame may be hours old.
            feed?.skip(until: PipelineClock.system.now)
            handle(.suspended(span))
        case .set(let timeLine): handle(.clockSet(timeLine))
        }
    }

    private func wake() { if !Task.isCancelled { handle(.wake) } }

    private func end(_ ending: CaptureSummary.Ending) {
        alarm.cancel()
        opening?.cancel()
        summary.ending = ending
        summary.unreached = machine.unreachedSlots
        ended?.resume()
        ended = nil
    }

    /// Waits for everything that the capture started: nothing may happen or stay open after the end.
    private func close() async {
        // Abandoned pictures must not delay the end.
        if machine.backlog > 0 { await writer.close() }
        await opening?.value
        await alarm.finish()
        // If the driver hangs, the pick that waits for it never ends.
        if !summary.isWedged { await picking.finish() }
        await endStoring()
        await joining.finish()
        await warming.finish()
        await writer.close()
        await ledger?.close(summary.ending)
        release()
        await closing?.value
        await resting.finish()
        await preview?.close()
    }
}

/// The camera: opening it and handling its events.
extension CaptureController {
    private var isOpening: Bool { machine.phase == .opening }

    /// Prepares the storage and the preview, then opens the camera. The capture may be stopped during each wait.
    private func begin() async {
        do throws(CaptureError) {
            try await writer.prepare()
            try await ledger?.open()
            publish(await writer.drainEvents())
            guard isOpening else { return }
            try configuration.preview?.sink.check(.current)
            tasks.add { [self] in for await event in camera.events { await handle(camera: event) } }
            watchPreview()
            try await preview?.start()
            await camera.open()
        } catch {
            handle(.lost(error))
        }
    }

    private func handle(camera event: SupervisedCamera.Event) {
        switch event {
        case .opening(let description):
            emit(.opening(source: configuration.sourceName, pipeline: description.launchText))
            warmUp(for: description.expectedCaps)
        case .negotiated(let caps): warmUp(for: caps)
        case .ready(let camera, let frame): use(camera, frame)
        case .stalled(let silence): emit(.stalled(silence))
        case .lost(let error): lose(error)
        case .recovering(let attempt, let next, let error):
            emit(.recovering(attempt: attempt, next: next, error))
            reportAttempt(error)
        case .recovered(let span): emit(.recovered(after: span))
        case .ended(let error): handle(.ended(error))
        case .gone(let error): handle(.lost(error))
        case .notice(let notice): emit(.notice(notice))
        }
    }

    private func use(_ camera: OpenCamera, _ frame: Frame?) {
        // The machine may have closed the camera for a rest meanwhile.
        guard !machine.isResting else { return }
        let feed = FrameFeed(camera.session, after: frame)
        if let frame { feed.giveBack(frame) }
        (open, self.feed, frameDuration) = (camera, feed, camera.frameDuration)
        if let motion { following.add { await motion.follow(camera.session) } }
        machine.tolerance = tolerance
        emit(.settled(camera.settling))
        handle(.ready)
    }

    private func lose(_ error: CaptureError) {
        (open, feed, loss) = (nil, nil, error)
        if let motion { following.add { await motion.rest() } }
        preview?.hold(because: error.summary)
        emit(.lost(error))
        handle(.interrupted)
    }

    private func rest(until slot: Slot) {
        (open, feed) = (nil, nil)
        let reason = "standing by until \(WallTime.of(slot.due).formatted("%H:%M:%S") ?? "the next picture")"
        emit(.resting(until: slot))
        resting.add { [self, reading] in
            _ = await reading?.value
            await endMovies()
            await camera.rest()
            // A frame that arrived later would end the hold.
            preview?.hold(because: reason)
        }
    }

    private func rouse() async {
        // A camera that is lost for good meanwhile must not be opened again.
        if !machine.needsNoFrames { await camera.open() }
    }

    /// Reports the error of a failed attempt if it differs from the last error: the camera may stay away for another
    /// reason than the one for which it was lost.
    private func reportAttempt(_ error: CaptureError) {
        guard error != loss else { return }
        loss = error
        preview?.hold(because: error.summary)
        emit(.notice(Notice(.cameraNotReopened, error)))
    }

    /// Builds the encoder while the camera starts or settles.
    private func warmUp(for caps: Caps?) {
        warming.add { [self] in await writer.warmUp(for: caps) }
    }
}

/// The preview and its layers.
extension CaptureController {
    private func watchPreview() {
        if let preview {
            tasks.add { [self] in for await event in preview.events { await handle(preview: event) } }
        }
        guard let overlay else { return }
        overlay.set(values.texts)
        show(configuration.overlay)
        tasks.add { [self] in for await event in overlay.events { await handle(overlay: event) } }
    }

    private func handle(preview event: PreviewScreen.Event) {
        switch event {
        case .size(let size): emit(.previewing(width: size.width, height: size.height))
        case .key(let key): emit(.key(key))
        case .press: break
        case .ended(let error): emit(.previewEnded(error))
        }
    }

    /// Reports each error of a layer once, however often drawing is retried.
    private func handle(overlay event: OverlayEvent) {
        switch event {
        case .drawn: emit(.drawn)
        case .failed(let layer, let error):
            let notice = Notice(error, ofLayer: layer)
            if failedLayers.insert(notice).inserted { emit(.notice(notice)) }
        }
    }
}

/// Pictures: from the slot to the frame, and from the frame to the disk.
extension CaptureController {
    private func capture(_ slot: Slot) async {
        guard machine.phase == .picking(slot), let feed, let open else { return }
        emit(.willCapture(slot))
        let lighting = await light(open, feed)
        let count = await captureFrames(slot, lighting, feed, open)
        await open.turnOff()
        if count > 0 {
            conclude(slot, count)
        } else if machine.phase == .picking(slot), !Task.isCancelled, self.feed == nil || self.feed === feed {
            handle(.noFrame(open.session.failure ?? .sourceEnded(configuration.sourceName)))
        }
    }

    /// Lights the flash. If that fails, it emits a notice and the picture is captured without the flash, which is
    /// better than no picture.
    private func light(_ camera: OpenCamera, _ feed: FrameFeed) async -> Lighting {
        let lighting = await camera.light(feed)
        if let error = lighting.failure { emit(.notice(Notice(.flashNotLit, error))) }
        return lighting
    }

    /// Queues the frames of a slot for storing as they arrive. Returns how many there were: 0 if the slot was abandoned
    /// or is too late, or if the source ended.
    private func captureFrames(
        _ slot: Slot, _ lighting: Lighting, _ feed: FrameFeed, _ camera: OpenCamera
    ) async -> Int {
        let leadTime = slot.cause == .trigger ? configuration.leadTime : .zero
        let moment = max(slot.due - leadTime, lighting.moment ?? .zero)
        let earlier = earlier ?? (leadTime > .zero ? camera.session.keptFrame(nearestTo: moment) : nil)
        let nearest = if let earlier { earlier } else { await feed.nearest(to: moment) }
        guard let first = await whole(nearest, feed, after: moment), machine.phase == .picking(slot) else { return 0 }
        guard configuration.schedule.latePolicy == .late || first.time - slot.due <= tolerance else {
            handle(.tooLate)
            return 0
        }
        handle(.found)
        let exposure = readExposure(of: camera, lighting)
        // A camera owns only a few buffers.
        store(machine.backlog < 2 ? first : first.keepable(), slot, 0, exposure)
        var (count, last) = (1, first)
        while count < configuration.burst {
            if count >= configuration.heldFrames { await writing.finish() }
            guard let frame = await whole(feed.next(), feed, after: last.time) else { break }
            store(frame, slot, count, exposure)
            (count, last) = (count + 1, frame)
        }
        follow(last, after: exposure)
        // The reading is one of the lit scene.
        if lighting.moment != nil { _ = await exposure.value }
        return count
    }

    /// Reads the exposure for the pictures of a slot. The next frames are chosen and the first one is encoded
    /// meanwhile: only storing waits for a slow driver.
    private func readExposure(of camera: OpenCamera, _ lighting: Lighting) -> Task<ExposureReading?, Never> {
        let exposure = Task { await camera.exposure(with: lighting) }
        reading = exposure
        return exposure
    }

    /// Returns `frame`, or the first whole frame after it if it is cut off. The search ends with half the interval or
    /// ``FramePicker/patience``, whichever is shorter. Then it returns a frame that is cut off, which fails when it is
    /// stored.
    private func whole(_ frame: Frame?, _ feed: FrameFeed, after moment: ClockTime) async -> Frame? {
        let half = configuration.schedule.interval.map { $0 / 2 }
        return await feed.whole(frame, after: moment, patience: min(half ?? FramePicker.patience, FramePicker.patience))
    }

    /// Adjusts the ramped controls to the light of this frame, for the next picture. It runs in a separate task: no
    /// picture waits for it.
    private func follow(_ frame: Frame, after exposure: Task<ExposureReading?, Never>) {
        guard camera.isFollowed else { return }
        tasks.add { [camera] in
            _ = await exposure.value
            await camera.follow(frame)
        }
    }

    private func conclude(_ slot: Slot, _ count: Int) {
        if count < configuration.burst { emitShortBurst(slot, count) }
        handle(.picked)
        writing.add { [self] in await conclude(slot) }
    }

    private func conclude(_ slot: Slot) {
        emit(.stored(slot))
        handle(.stored)
    }

    /// Reports a burst that is too short: as a notice if the user stopped it, as a failure if the source ended.
    private func emitShortBurst(_ slot: Slot, _ count: Int) {
        let error = CaptureError.shortBurst(configuration.sourceName, count, of: configuration.burst)
        let notice = Notice(.burstShort, about: error.subject, error.message)
        emit(Task.isCancelled ? .notice(notice) : .failed(slot, error))
    }

    /// Queues a frame for storing. Frames are stored one after the other: the encoder takes one at a time, and numbers
    /// follow the slots.
    ///
    /// The queue is separate from the task that chooses frames: canceling that task must not lose a picture.
    private func store(_ frame: Frame, _ slot: Slot, _ index: Int, _ exposure: Task<ExposureReading?, Never>) {
        writing.add { [self, hold = motion?.hold(since: frame.time)] in
            await write(frame, slot, index, exposure)
            withExtendedLifetime(hold) {}
        }
    }

    private func write(_ frame: Frame, _ slot: Slot, _ index: Int, _ exposure: Task<ExposureReading?, Never>) async {
        if machine.phase == .ended {
            emit(.failed(slot, .givenUp))
        } else {
            beginLedger()
            let outcome = await writer.store(frame, slot: slot, burstIndex: index, tolerance: tolerance) {
                await exposure.value
            }
            publish(outcome.events)
            if let error = outcome.failure { fail(slot, error) }
        }
        await tidy()
    }

    private func fail(_ slot: Slot, _ error: CaptureError) {
        emit(.failed(slot, machine.phase == .ended ? .givenUp : error))
        if error.subject == StillStore.standardOutput { handle(.lost(error)) }
    }

    /// The offset beyond which a picture is late: one and a half frames, at least 10 ms.
    private var tolerance: Duration { max(.milliseconds(10), frameDuration * 3 / 2) }
}

/// Live photos.
extension CaptureController {
    private func join(_ picture: UnjoinedStill, by motion: any MotionRecording) async {
        publish(await writer.join(picture, by: motion))
        await tidy()
    }

    private func settleUnjoined() async { publish(await writer.settleUnjoined()) }

    /// Waits for the movies of all pictures, which need the camera, and keeps no more frames.
    private func endMovies() async {
        guard let motion else { return }
        await writing.finish()
        await joining.finish()
        await following.finish()
        await motion.rest()
    }
}

/// The ledger and the disk.
extension CaptureController {
    /// Sets the moment from which the ledger counts slots, before its first line.
    private func beginLedger() {
        if let ledger, let anchor = machine.anchor { ledger.begin(at: anchor) }
    }

    private func publish(_ events: [CaptureEvent]) {
        for event in events { publish(event) }
    }

    private func tidy() async {
        let tidied = await writer.tidy()
        publish(tidied.events)
        if let limit = tidied.limit { handle(.limit(limit)) }
        retryLater(after: tidied.retryDelay)
    }

    /// Schedules the next attempt to store pictures that wait for the disk, in case no new picture triggers one.
    private func retryLater(after delay: Duration?) {
        guard let delay, retry == nil, machine.phase != .ended else { return }
        retry = Task {
            try? await Task.sleep(for: delay, tolerance: .milliseconds(100), clock: .suspending)
            retry = nil
            if !Task.isCancelled { storeHeld() }
        }
    }

    /// Queues an attempt to store the held pictures. It runs between two pictures, so that numbers follow the slots.
    private func storeHeld() {
        writing.add { [self] in await resumeStoring() }
    }

    private func resumeStoring() async {
        publish(await writer.storeHeld())
        await tidy()
    }

    /// Stores the pending pictures for the last time, and emits the outcome of each.
    private func endStoring() async {
        retry?.cancel()
        await retry?.value
        await writing.finish()
        publish(await writer.endStoring())
    }
}

extension Notice {
    fileprivate static func clockIsBehind(_ lead: Duration) -> Notice {
        Notice(
            .clockBehind, about: "clock",
            "the clock is \(Duration.seconds(lead.components.seconds).shortText) behind the last slot of the series, whose slots "
                + "are counted from now", advice: "set the clock; gst-capture doctor says whether it is synchronized")
    }
}
