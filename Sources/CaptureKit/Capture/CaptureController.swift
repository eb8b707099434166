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

    private nonisolated let configuration: CaptureConfiguration
    private let announce: AsyncStream<CaptureEvent>.Continuation
    private let writer: StillWriter
    private let ledger: Ledger?
    /// The clocks that the machine was told of.
    private let clocks = ClockReading.now()
    private nonisolated let overlay: Overlay?
    private nonisolated let preview: PreviewScreen?
    private var values: PreviewValues
    private var failedLayers: Set<String> = []
    private var machine: CaptureMachine
    private var summary = CaptureSummary()
    private var signsOfLife = Pulse()
    private nonisolated let camera: SupervisedCamera
    private var open: OpenCamera?
    private var frameDuration = Duration.milliseconds(100)
    private var loss: CaptureError?
    private var feed: FrameFeed?
    private var alarm: Task<Void, Never>?
    private var pick: Task<Void, Never>?
    private var opening: Task<Void, Never>?
    private var writing: Task<Void, Never>?
    private var retry: Task<Void, Never>?
    private var closing: Task<Void, Never>?
    private var warming: Task<Void, Never>?
    private var clockWatch: Task<Void, Never>?
    private var watches: [Task<Void, Never>] = []
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Prepares a capture; nothing is opened yet.
    ///
    /// - Parameter rasteriser: What draws the layers of the preview, and of ``CaptureConfiguration/burnIn``; without one
    ///   neither has any, and a notice tells so of stills.
    public init(_ configuration: CaptureConfiguration, rasteriser: (any Rasteriser)? = nil) {
        self.configuration = configuration
        overlay = configuration.preview.flatMap { _ in rasteriser.map(Overlay.init) }
        preview = configuration.preview.map { [overlay] in PreviewScreen($0, overlay, rasteriser) }
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

    // MARK: Effects

    private func handle(_ input: CaptureMachine.Input) {
        for effect in machine.handle(input, at: PipelineClock.system.now) { carryOut(effect) }
        if machine.needsNoFrames { release() }
    }

    /// Lets go of the camera, which others may wait for, while the last pictures are still being written.
    private func release() {
        guard closing == nil else { return }
        for watch in watches { watch.cancel() }
        closing = Task {
            await camera.close()
            await preview?.close()
        }
    }

    private func carryOut(_ effect: CaptureMachine.Effect) {
        switch effect {
        case .open: opening = Task { await begin() }
        case .rest(let slot): rest(until: slot)
        case .rouse: Task { await camera.open() }
        case .wake(let time): setAlarm(time)
        case .pick(let slot): choose(slot)
        case .abandonPick: pick?.cancel()
        case .upcoming(let slot, let left): tell(.upcoming(slot, in: left))
        case .countdown(let slot, let left): tell(.countdown(slot, remaining: left))
        case .calledOff(let slot): tell(.calledOff(slot))
        case .missed(let slots, let reason): tell(.missed(slots, reason))
        case .end(let ending): end(ending)
        }
    }

    private func tell(_ event: CaptureEvent) {
        summary.account(for: event)
        note(event)
        signsOfLife.note(event, at: PipelineClock.system.now)
        announce.yield(event)
        if values.apply(event) { overlay?.set(values.texts) }
    }

    private func watchClocks() {
        let changes = ClockWatch.changes(since: clocks)
        clockWatch = Task { for await change in changes { take(change) } }
    }

    private func take(_ change: ClockChange) {
        switch change {
        case .suspended(let span): handle(.suspended(span))
        case .set(let timeLine): handle(.clockSet(timeLine))
        }
    }

    private func setAlarm(_ time: ClockTime) {
        alarm?.cancel()
        alarm = Task {
            let left = time - PipelineClock.system.now
            if left > .zero { try? await Task.sleep(for: left, tolerance: .zero, clock: .suspending) }
            if !Task.isCancelled { handle(.wake) }
        }
    }

    private func end(_ ending: CaptureSummary.Ending) {
        alarm?.cancel()
        clockWatch?.cancel()
        opening?.cancel()
        summary.ending = ending
        summary.unreached = machine.unreachedSlots
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// Waits for all that was begun: nothing may happen after the end, and nothing stay open.
    private func close() async {
        // What is given up must not be waited for.
        if machine.backlog > 0 { await writer.close() }
        await opening?.value
        // Whoever waits in a driver that hangs waits for ever.
        if !summary.isWedged { await pick?.value }
        await endStoring()
        await writer.close()
        await ledger?.close(summary.ending)
        release()
        await closing?.value
        await preview?.close()
    }

    // MARK: The camera

    private var isOpening: Bool { machine.phase == .opening }

    /// It may be called off while it waits.
    private func begin() async {
        do throws(CaptureError) {
            try await writer.prepare()
            try await ledger?.open()
            await tellOfStorage()
            guard isOpening else { return }
            try configuration.preview?.sink.check(.current)
            watches.append(Task { for await happening in camera.happenings { take(happening) } })
            watchPreview()
            try await preview?.start()
            await camera.open()
        } catch {
            handle(.lost(error))
        }
    }

    private func take(_ happening: SupervisedCamera.Happening) {
        switch happening {
        case .opening(let description):
            tell(.opening(source: configuration.sourceName, pipeline: description.launchText))
            warmUp(for: description.expectedCaps)
        case .meeting(let caps): warmUp(for: caps)
        case .ready(let camera): take(camera)
        case .stalled(let silence): tell(.stalled(silence))
        case .lost(let error): lose(error)
        case .recovering(let attempt, let next, let error):
            tell(.recovering(attempt: attempt, next: next, error))
            say(error)
        case .recovered(let span): tell(.recovered(after: span))
        case .ended(let error): handle(.ended(error))
        case .gone(let error): handle(.lost(error))
        case .notice(let text): tell(.notice(text))
        }
    }

    private func take(_ camera: OpenCamera) {
        // It may have been told to close again meanwhile.
        guard !machine.isResting else { return }
        let feed = FrameFeed(camera.session)
        feed.giveBack(camera.frame)
        (open, self.feed, frameDuration) = (camera, feed, camera.frameDuration)
        machine.tolerance = tolerance
        tell(.settled(camera.settling))
        handle(.ready)
    }

    private func lose(_ error: CaptureError) {
        (open, feed, loss) = (nil, nil, error)
        preview?.hold(because: error.summary)
        tell(.lost(error))
        handle(.interrupted)
    }

    private func rest(until slot: Slot) {
        (open, feed) = (nil, nil)
        preview?.hold(because: "standing by until \(WallTime.of(slot.due).formatted("%H:%M:%S") ?? "the next picture")")
        tell(.resting(until: slot))
        Task { await camera.rest() }
    }

    /// What keeps the camera from coming back may be something else than what it was lost by.
    private func say(_ error: CaptureError) {
        guard error != loss else { return }
        loss = error
        preview?.hold(because: error.summary)
        tell(.notice("\(error)"))
    }

    /// Builds the encoder while the camera starts, or settles.
    private func warmUp(for caps: Caps?) {
        warming = Task { [previous = warming] in
            await previous?.value
            await writer.warmUp(for: caps)
        }
    }

    // MARK: The preview

    private func watchPreview() {
        if let preview {
            watches.append(Task { for await happening in preview.happenings { take(happening) } })
        }
        guard let overlay else { return }
        overlay.set(values.texts)
        show(configuration.overlay)
        watches.append(Task { for await event in overlay.events { take(event) } })
    }

    private func take(_ happening: PreviewScreen.Happening) {
        switch happening {
        case .size(let size): tell(.previewing(width: size.width, height: size.height))
        case .key(let key): tell(.key(key))
        case .ended(let error): tell(.previewEnded(error))
        }
    }

    /// What cannot be drawn is told once, however often it is tried.
    private func take(_ event: OverlayEvent) {
        switch event {
        case .drawn: tell(.drawn)
        case .failed(let layer, let error):
            let text = error.subject == nil ? "\(layer): \(error)" : "\(error)"
            if failedLayers.insert(text).inserted { tell(.notice(text)) }
        }
    }

    // MARK: Pictures

    /// One slot after the other: one that is abandoned puts its flash out before the next lights it.
    private func choose(_ slot: Slot) {
        pick = Task { [previous = pick] in
            await previous?.value
            await take(slot)
        }
    }

    private func take(_ slot: Slot) async {
        guard machine.phase == .picking(slot), let feed, let open else { return }
        tell(.willCapture(slot))
        await light(open)
        let count = await takeFrames(slot, feed, open)
        await open.douse()
        if count > 0 {
            conclude(slot, count)
        } else if machine.phase == .picking(slot), !Task.isCancelled {
            handle(.noFrame(.sourceEnded(configuration.sourceName)))
        }
    }

    /// A picture without its flash is better than none, but not by itself what was asked for.
    private func light(_ camera: OpenCamera) async {
        do throws(CaptureError) {
            try await camera.light()
        } catch {
            tell(.notice("\(error)"))
        }
    }

    /// Hands the frames of a slot on as they come; answers how many there were. A slot without a frame was abandoned, or
    /// the source came to its end.
    private func takeFrames(_ slot: Slot, _ feed: FrameFeed, _ camera: OpenCamera) async -> Int {
        guard let first = await feed.nearest(to: slot.due), machine.phase == .picking(slot) else { return 0 }
        guard configuration.schedule.latePolicy == .late || first.time - slot.due <= tolerance else {
            handle(.tooLate)
            return 0
        }
        handle(.found)
        let exposure = await camera.exposure()
        store(first, slot, 0, exposure)
        var count = 1
        while count < configuration.burst {
            if count >= configuration.heldFrames { await writing?.value }
            guard let frame = await feed.next() else { break }
            store(frame, slot, count, exposure)
            count += 1
        }
        return count
    }

    private func conclude(_ slot: Slot, _ count: Int) {
        if count < configuration.burst { tellShort(slot, count) }
        handle(.picked)
        writing = Task { [previous = writing] in
            await previous?.value
            tell(.stored(slot))
            handle(.stored)
        }
    }

    /// Whoever stopped a burst knows that it is short: only a source that ends is a failure.
    private func tellShort(_ slot: Slot, _ count: Int) {
        let error = CaptureError.shortBurst(configuration.sourceName, count, of: configuration.burst)
        tell(Task.isCancelled ? .notice(error.message) : .failed(slot, error))
    }

    /// One after the other: the encoder takes one frame at a time, and numbers follow the slots.
    ///
    /// A task of its own: the one that chooses frames is cancelled when it has to stop, and a picture is not lost by that.
    private func store(_ frame: Frame, _ slot: Slot, _ index: Int, _ exposure: ExposureReading?) {
        writing = Task { [previous = writing] in
            await previous?.value
            await write(frame, slot, index, exposure)
        }
    }

    private func write(_ frame: Frame, _ slot: Slot, _ index: Int, _ exposure: ExposureReading?) async {
        do throws(CaptureError) {
            guard machine.phase != .ended else { throw .givenUp }
            let still = try await writer.write(
                frame, slot: slot, burstIndex: index, tolerance: tolerance, exposure: exposure)
            // Pictures that waited for the disk were stored before it.
            await tellOfStorage()
            if let still { await tellDurable(.captured(still)) }
            for notice in await writer.takeNotices() { tell(.notice(notice)) }
        } catch {
            await tellOfStorage()
            tell(.failed(slot, machine.phase == .ended ? .givenUp : error))
            if error.subject == StillStore.standardOutput { handle(.lost(error)) }
        }
        await tidy()
    }

    /// Further than a frame and a half from its moment, a picture is late.
    private var tolerance: Duration { max(.milliseconds(10), frameDuration * 3 / 2) }

    // MARK: The ledger

    /// A picture is told when its line is durable, too. One whose line has to wait is there all the same.
    private func tellDurable(_ event: CaptureEvent) async {
        if let ledger, case .captured(let still) = event {
            if let anchor = machine.anchor { ledger.begin(at: anchor) }
            try? await ledger.append([LedgerEntry(still)])
        }
        tell(event)
    }

    /// What else the ledger says gets its line soon.
    private func note(_ event: CaptureEvent) {
        guard let ledger else { return }
        if let anchor = machine.anchor { ledger.begin(at: anchor) }
        switch event {
        case .missed(let slots, let reason): ledger.note(LedgerEntry(missed: slots, reason))
        case .failed(let slot, let error): ledger.note(LedgerEntry(failed: slot, error))
        case .removed(let stills): ledger.note(stills.map { LedgerRemoval($0) })
        default: break
        }
    }

    // MARK: The disk

    private func tellOfStorage() async {
        for event in await writer.takeEvents() { await tellDurable(event) }
    }

    private func tidy() async {
        let limit = await writer.tidy()
        await tellOfStorage()
        if let limit { handle(.limit(limit)) }
        await retryLater()
    }

    /// Where pictures wait for the disk, and no other comes, time brings the next attempt.
    private func retryLater() async {
        guard let delay = await writer.retryDelay, retry == nil, machine.phase != .ended else { return }
        retry = Task {
            try? await Task.sleep(for: delay, tolerance: .milliseconds(100), clock: .suspending)
            retry = nil
            if !Task.isCancelled { storeHeld() }
        }
    }

    /// Between pictures, as numbers follow the slots.
    private func storeHeld() {
        writing = Task { [previous = writing] in
            await previous?.value
            await writer.storeHeld()
            await tellOfStorage()
            await tidy()
        }
    }

    /// Tells what became of every picture that was chosen.
    private func endStoring() async {
        retry?.cancel()
        await retry?.value
        await writing?.value
        await writer.endStoring()
        await tellOfStorage()
    }
}
