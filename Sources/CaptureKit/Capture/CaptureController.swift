// Part of gst-capture. Apache License 2.0, see LICENSE.

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

    private let configuration: CaptureConfiguration
    private let announce: AsyncStream<CaptureEvent>.Continuation
    private let writer: StillWriter
    private var machine: CaptureMachine
    private var summary = CaptureSummary()
    private var session: CameraSession?
    private var feed: FrameFeed?
    private var frameDuration: Duration?
    private var equipment: CameraEquipment?
    private var alarm: Task<Void, Never>?
    private var pick: Task<Void, Never>?
    private var opening: Task<Void, Never>?
    private var writing: Task<Void, Never>?
    private var closing: Task<Void, Never>?
    private var watches: [Task<Void, Never>] = []
    private var ended: CheckedContinuation<Void, Never>?

    /// Prepares a capture; nothing is opened yet.
    public init(_ configuration: CaptureConfiguration) {
        self.configuration = configuration
        (events, announce) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
        writer = StillWriter(configuration)
        machine = CaptureMachine(configuration.plan)
    }

    /// Does all of it, and returns when the camera is closed.
    ///
    /// It does not throw: ``CaptureSummary/ending`` tells.
    public func run() async -> CaptureSummary {
        await withCheckedContinuation { continuation in
            ended = continuation
            handle(.start)
            // It may have been cancelled before it began.
            if machine.phase == .ended { resume() }
        }
        await close()
        announce.yield(.finished(summary))
        announce.finish()
        return summary
    }

    /// Takes a picture now, out of the schedule.
    public func trigger() { handle(.trigger) }

    /// Stops after the picture in hand.
    public func finish() { handle(.finish) }

    /// Stops at once; a picture that is being chosen is given up. A second time, what is being stored is, too.
    public func cancel() { handle(.cancel) }

    // MARK: Effects

    private func handle(_ input: CaptureMachine.Input) {
        for effect in machine.handle(input, at: PipelineClock.system.now) { carryOut(effect) }
        if machine.needsNoFrames { release() }
    }

    /// Lets go of the camera, which others may wait for, while the last pictures are still being written.
    private func release() {
        guard closing == nil, let session else { return }
        for watch in watches { watch.cancel() }
        closing = Task { [equipment] in
            await session.close()
            await equipment?.restore()
        }
    }

    private func carryOut(_ effect: CaptureMachine.Effect) {
        switch effect {
        case .open: opening = Task { await open() }
        case .wake(let time): setAlarm(time)
        case .pick(let slot): pick = Task { await take(slot) }
        case .abandonPick: pick?.cancel()
        case .countdown(let slot, let left): announce.yield(.countdown(slot, remaining: left))
        case .missed(let slot, let reason):
            summary.missed += 1
            announce.yield(.missed(slot, reason))
        case .end(let ending): end(ending)
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
        opening?.cancel()
        summary.ending = ending
        summary.unreached = machine.unreachedSlots
        resume()
    }

    private func resume() {
        ended?.resume()
        ended = nil
    }

    private func close() async {
        release()
        await writer.close()
        await closing?.value
    }

    // MARK: The camera

    private func open() async {
        do throws(CaptureError) {
            try await writer.prepare()
            let description = try SourceDescription(configuration)
            announce.yield(.opening(source: configuration.sourceName, pipeline: description.text))
            equipment = try await CameraEquipment.open(for: configuration)
            async let isWarm: Void = warmUp(for: description.expectedCaps)
            let session = try await CameraSession(description, subject: configuration.sourceName)
            self.session = session
            await isWarm
            guard machine.phase == .opening else { return await session.close() }
            watch(session)
            let feed = FrameFeed(session)
            try await settle(feed)
            self.feed = feed
            for notice in try await equipment?.lock() ?? [] { announce.yield(.notice(notice)) }
            handle(.ready)
        } catch {
            handle(.lost(error))
        }
    }

    /// Waits for exposure; the last frame it saw is the first that can be taken.
    private func settle(_ feed: FrameFeed) async throws(CaptureError) {
        var detector = SettleDetector(configuration.settle)
        let meter = LightMeter()
        defer { meter.close() }
        while let frame = await feed.next() {
            if frameDuration == nil { await meet(frame.sample) }
            let brightness = detector.ignoresBrightness ? nil : await meter.measure(frame.sample)
            guard let report = detector.add(frame.time, brightness: brightness) else { continue }
            announce.yield(.settled(report))
            feed.giveBack(frame)
            return
        }
    }

    /// Builds the encoder while the source starts.
    private nonisolated func warmUp(for caps: Caps?) async {
        if let caps { await writer.warmUp(for: caps) }
    }

    /// The first frame tells the format: the encoder is built while the camera settles.
    private func meet(_ sample: Sample) async {
        frameDuration = sample.frameDuration ?? .milliseconds(100)
        if let caps = sample.caps { await writer.warmUp(for: caps) }
    }

    private func watch(_ session: CameraSession) {
        let messages = session.messages
        watches.append(Task { for await message in messages { take(message) } })
        watches.append(Task { await watchFlow(of: session) })
    }

    private func take(_ message: BusMessage) {
        switch message.content {
        case .error(let error): handle(.lost(CaptureError(error, subject: configuration.sourceName)))
        case .endOfStream where session?.isFinite != true:
            handle(.lost(CaptureError(.noCamera, "the source came to its end", subject: configuration.sourceName)))
        default: break
        }
    }

    /// Sleeps until a frame is overdue; frames that came meanwhile move that moment.
    private func watchFlow(of session: CameraSession) async {
        let start = PipelineClock.system.now
        var isStalled = false
        while !Task.isCancelled {
            let last = session.lastArrival ?? start
            let limit = isStalled ? configuration.giveUp : configuration.stallLimit
            let left = last + limit - PipelineClock.system.now
            if left > .zero {
                try? await Task.sleep(for: left, tolerance: .milliseconds(50), clock: .suspending)
                if let newest = session.lastArrival, newest > last { isStalled = false }
                continue
            }
            let silence = PipelineClock.system.now - last
            announce.yield(.stalled(silence))
            if isStalled { return handle(.lost(.silent(configuration.sourceName, silence))) }
            isStalled = true
        }
    }

    // MARK: Pictures

    private func take(_ slot: Slot) async {
        guard let feed else { return }
        announce.yield(.willCapture(slot))
        await equipment?.light()
        var frames: [Frame] = []
        if let first = await feed.nearest(to: slot.due) { frames.append(first) }
        while !frames.isEmpty, frames.count < configuration.burst, !Task.isCancelled, let frame = await feed.next() {
            // Frames of a burst are written as they come, so that few are held.
            frames.append(frame)
            if frames.count > configuration.heldFrames { break }
        }
        let exposure = await equipment?.exposure()
        await equipment?.douse()
        guard !Task.isCancelled, machine.phase == .picking(slot) else { return }
        guard !frames.isEmpty else { return handle(.noFrame) }
        let rest = configuration.burst - frames.count
        if rest > 0 {
            await writing?.value
            await write(frames, slot, exposure, rest: rest, feed)
            handle(.picked)
            handle(.stored)
        } else {
            handle(.picked)
            // One after the other: the encoder takes one frame at a time, and numbers follow the slots.
            writing = Task { [frames, previous = writing] in
                await previous?.value
                await write(frames, slot, exposure, rest: 0, feed)
                handle(.stored)
            }
        }
    }

    private func write(
        _ frames: [Frame], _ slot: Slot, _ exposure: ExposureReading?, rest: Int, _ feed: FrameFeed
    ) async {
        for (index, frame) in frames.enumerated() { await write(frame, slot, index, exposure) }
        for index in frames.count..<(frames.count + rest) {
            guard let frame = await feed.next() else { return }
            await write(frame, slot, index, exposure)
        }
    }

    private func write(_ frame: Frame, _ slot: Slot, _ index: Int, _ exposure: ExposureReading?) async {
        do throws(CaptureError) {
            let still = try await writer.write(
                frame, slot: slot, burstIndex: index, tolerance: tolerance, exposure: exposure)
            summary.captured += 1
            summary.late += still.isLate ? 1 : 0
            announce.yield(.captured(still))
        } catch {
            summary.failed += 1
            summary.firstFailure = summary.firstFailure ?? error
            announce.yield(.failed(slot, error))
        }
    }

    /// Further than a frame and a half from its moment, a picture is late.
    private var tolerance: Duration { max(.milliseconds(10), (frameDuration ?? .milliseconds(100)) * 3 / 2) }
}

extension CaptureError {
    fileprivate static func silent(_ subject: String, _ silence: Duration) -> CaptureError {
        CaptureError(
            .noCamera, "has given no frame for \(silence.components.seconds) s", subject: subject,
            advice: "check its cable, and whether another program uses it")
    }
}

extension CaptureConfiguration {
    /// What the source is called in messages.
    var sourceName: String {
        switch source {
        case .camera(let camera): camera.path ?? camera.id
        case .fragment: "source"
        }
    }

    /// Burst frames that are held at once before any is written: cameras own only a few buffers.
    var heldFrames: Int { 2 }

    fileprivate var plan: CaptureMachine.Plan {
        // Frames are looked at a little before the moment, or the nearest could be gone already.
        let lead =
            schedule.interval.map { min(.milliseconds(60), $0 / 2) }
            ?? (delay > .zero || countdown > .zero ? .milliseconds(60) : .zero)
        return CaptureMachine.Plan(schedule: schedule, delay: delay, countdown: countdown, lead: lead)
    }
}
