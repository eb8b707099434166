// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import FrameLink
import FrameMeasures
import PipelineKit
import StillKit

/// Opens and watches a camera, and reopens it after a loss, as ``CameraSupervisor`` decides.
///
/// The camera's health is the flow of its frames, not the state of its pipeline: a driver can stop delivering without
/// an error. The listener gets an event for each open camera, and takes frames from that camera until the next event.
/// ``CameraStation`` is that listener, and shares the camera among jobs.
package actor SupervisedCamera {
    /// An event of the camera.
    package enum Event: Sendable {
        /// The camera is being opened with this pipeline.
        case opening(SourceDescription)
        /// The first frame has arrived, in this format.
        case negotiated(Caps?)
        /// The camera delivers frames, and its picture is steady from this frame on; `nil` if the camera was open
        /// already when the listener joined.
        case ready(OpenCamera, Frame?)
        /// No frame has arrived for this long. Without recovery, this event comes before `.gone`.
        case stalled(Duration)
        /// The camera is lost for this reason. Attempts to reopen it follow.
        case lost(CaptureError)
        /// An attempt failed. The next one starts after a pause.
        case recovering(attempt: Int, next: Duration, CaptureError)
        /// The camera is back, this long after the loss.
        case recovered(Duration)
        /// The source reached its natural end. Its last frames may still be captured.
        case ended(CaptureError)
        /// The camera is lost for good.
        case gone(CaptureError)
        /// A notice for the user.
        case notice(Notice)
    }

    /// The events as they occur; for one listener.
    package nonisolated let events: AsyncStream<Event>

    private let configuration: CaptureConfiguration
    private let equip: Equip
    private let connected: Connected
    private let continuation: AsyncStream<Event>.Continuation
    private var source: CaptureConfiguration.Source
    private var supervisor: CameraSupervisor
    /// The configuration whose recovery and limits are valid now.
    private var policy: CaptureConfiguration
    private var isFirst = true
    /// `true` after the listener got the notice that there is no flash.
    private var hasReportedFlash = false
    private var current: OpenCamera?
    private var session: CameraSession?
    /// The network camera of the latest session; `nil` for another source.
    private var network: NetworkSource?
    /// The frames of a service; `nil` for a device.
    private var link: FrameLink?
    private var equipment: (any CameraEquipping)?
    private var held: HeldControls?
    /// The notices of held controls that the listener got: the camera refuses the same values at each reopening.
    private var reportedNotices: Set<Notice> = []
    private var refusal: CaptureError?
    private var frameDuration: Duration?
    /// The error of the session that is being opened.
    private var fault: CaptureError?
    private var attempts = TaskChain()
    /// Closes sessions, and waits for tasks that are canceled.
    private var closing = TaskChain()
    private var alarm = Alarm()
    private var watches: [Task<Void, Never>] = []
    private var devices: (watch: DeviceWatch, task: Task<Void, Never>)?
    private var pauseStart = ClockTime.zero

    /// Opens the camera's controls; tests pass another function, with fake controls.
    package typealias Equip =
        @Sendable (CaptureConfiguration, HeldControls?) async throws(CaptureError) -> CameraEquipment?

    /// Opens the controls of a camera's driver.
    package static let openControls: Equip = { (configuration, held) async throws(CaptureError) in
        try await CameraEquipment.open(for: configuration, held: held)
    }

    /// Prepares for each session of the camera before it plays. If it throws, the attempt fails.
    package typealias Connected = @Sendable (CameraSession) async throws(CaptureError) -> Void

    /// Prepares a camera; nothing is opened yet.
    package init(
        _ configuration: CaptureConfiguration, equip: @escaping Equip = openControls,
        connected: @escaping Connected = { (_) async throws(CaptureError) in }
    ) {
        (self.configuration, policy) = (configuration, configuration)
        (self.equip, self.connected) = (equip, connected)
        source = configuration.source
        supervisor = CameraSupervisor(configuration.recovery, isKnown: configuration.position != nil)
        (events, continuation) = AsyncStream.makeStream()
    }

    /// Supervises the camera for these jobs from now on: with the longest recovery and the largest limits.
    func supervise(for jobs: [CaptureConfiguration]) {
        let asking = jobs.filter(\.isRecoveryRequested) + jobs
        guard let longest = asking.max(by: { $0.recovery.isShorter(than: $1.recovery) })?.recovery,
            var policy = asking.first(where: { $0.recovery == longest })
        else { return }
        policy.stallLimit = jobs.map(\.stallLimit).max() ?? policy.stallLimit
        policy.giveUp = jobs.map(\.giveUp).max() ?? policy.giveUp
        self.policy = policy
        supervisor.recovery = policy.recovery
        supervisor.isKnown = jobs.contains { $0.position != nil }
    }

    /// Opens the camera; ``events`` emits the result.
    package func open() { handle(.want) }

    /// Closes the camera deliberately for a while. It is free when this returns, unless its driver hangs.
    package func rest() async {
        handle(.rest)
        await closing.finish()
    }

    /// Closes the camera for good. It is free when this returns, unless its driver hangs.
    package func close() async {
        handle(.stop)
        await closing.finish()
        await alarm.finish()
        await giveControlsBack()
        continuation.finish()
    }

    /// Adjusts the ramped controls to the light of a picture, for the next one. The watch of the frames finds a driver
    /// that hangs.
    func follow(_ frame: Frame) async {
        guard let equipment, !configuration.ramps.isEmpty, let span = frameDuration else { return }
        do throws(CaptureError) {
            let now = try await deadline.bound("ramping the controls") { () throws(CaptureError) in
                try await equipment.follow(frame, frameDuration: span)
            }
            held = now ?? held
        } catch {
            // The driver will refuse the same value again, so the same error is reported once.
            if error != refusal, current != nil { continuation.yield(.notice(Notice(.controlNotRamped, error))) }
            refusal = error
        }
    }

    // MARK: Effects

    private func handle(_ input: CameraSupervisor.Input) {
        for effect in supervisor.handle(input, at: PipelineClock.system.now) { carryOut(effect) }
        watchDevices()
    }

    private func carryOut(_ effect: CameraSupervisor.Effect) {
        switch effect {
        case .open: attempts.add { [self] in await tryToOpen() }
        case .close:
            cancelWatches()
            closing.add { [self] in await shut() }
        case .wake(let time): pause(until: time)
        case .emitLost(let error): continuation.yield(.lost(error))
        case .emitRecovering(let attempt, let next, let error):
            continuation.yield(.recovering(attempt: attempt, next: next, error))
        case .emitRecovered(let span): continuation.yield(.recovered(span))
        case .giveUp(let error): continuation.yield(.gone(error))
        }
    }

    private func pause(until time: ClockTime) {
        pauseStart = PipelineClock.system.now
        alarm.set(time) { [self] in await wake() }
    }

    private func wake() { if !Task.isCancelled { handle(.wake) } }

    private var isOpening: Bool { supervisor.phase == .opening }

    private var deadline: Deadline { Deadline(subject: source.name) }

    // MARK: Opening

    private func tryToOpen() async {
        do throws(CaptureError) {
            let (camera, frame) = try await connect()
            // No `await` from here to `.opened`: an error is either found here, or reported as a loss.
            try check()
            current = camera
            continuation.yield(.ready(camera, frame))
            handle(.opened)
        } catch {
            let cause = fault ?? error
            fault = nil
            // A session that is half open would keep the next attempt from opening the camera.
            let failure = await disconnect()
            let input = failure.map(CameraSupervisor.Input.closeFailed)
            if let input { handle(input) } else { handle(.failed(await explained(cause))) }
        }
    }

    /// The reason why a network camera could not be opened, which GStreamer's errors do not say.
    private func explained(_ error: CaptureError) async -> CaptureError {
        let codes: [CaptureError.Code] = [.noCamera, .inputOutput, .permission, .configuration]
        guard let network, isOpening, codes.contains(error.code) else { return error }
        return await NetworkProbe.explain(error, of: network)
    }

    /// Opens the camera. During every `await` the attempt may be canceled; `shut()` then closes the open parts.
    private func connect() async throws(CaptureError) -> (OpenCamera, Frame) {
        network = nil
        if !isFirst, let error = DescriptorAccount.current().exhaustion(of: source.name) { throw error }
        try await findAgain()
        let configuration = configurationNow
        let description = try SourceDescription(configuration)
        continuation.yield(.opening(description))
        if let camera = configuration.servedCamera {
            try await borrow(camera, configuration)
        } else {
            try await open(controls: configuration)
        }
        try check()
        let session = try CameraSession(description, subject: source.name, link: link)
        (self.session, network) = (session, session.network)
        try await connected(session)
        try check()
        try await play(session)
        try check()
        watch(session)
        // The service has waited for a steady picture.
        let (report, frame) = try await settle(FrameFeed(session), link == nil ? configuration.settle : .off)
        try check()
        try await hold(frame)
        let camera = OpenCamera(
            session: session, equipment: equipment, firesFlash: equipment?.hasFlash ?? false, settling: report,
            frameDuration: frameDuration ?? .milliseconds(100), deadline: deadline)
        return (camera, frame)
    }

    /// Plays a session. If that fails, the session is closed already.
    private func play(_ session: CameraSession) async throws(CaptureError) {
        do throws(CaptureError) {
            try await session.play()
        } catch {
            self.session = nil
            throw error
        }
    }

    /// The configuration with the camera's current node.
    private var configurationNow: CaptureConfiguration {
        var configuration = configuration
        configuration.source = source
        return configuration
    }

    private func check() throws(CaptureError) {
        if let fault { throw fault }
        guard isOpening else { throw .calledOff }
    }

    /// Finds the camera again, except for the first attempt, for which the caller has just found it. Later the camera
    /// may have another node, and its node may belong to another camera.
    private func findAgain() async throws(CaptureError) {
        defer { isFirst = false }
        guard !isFirst, case .camera(let camera) = source else { return }
        let device: Camera
        if camera.service == nil {
            device = camera
        } else if let served = await LocalService.standIn(for: camera) {
            source = .camera(served)
            return
        } else {
            // The service has ended: the camera may be free.
            device = camera.withoutService
        }
        let found = try await deadline.bound("looking for the camera") { () throws(CaptureError) in
            try await BlockingWork.run { () throws(CaptureError) in try CameraCatalog().find(again: device) }
        }
        source = .camera(found)
    }

    /// Requests the frames of a camera from the service that holds it.
    private func borrow(_ camera: ServedCamera, _ configuration: CaptureConfiguration) async throws(CaptureError) {
        let link = FrameLink(to: camera)
        self.link = link
        let offer = try await link.begin(configuration.loanSettings)
        equipment = ServedEquipment(camera, offer, configuration)
        reportMissingFlash()
    }

    private func open(controls configuration: CaptureConfiguration) async throws(CaptureError) {
        equipment = try await deadline.bound("opening the controls") { [equip, held] () throws(CaptureError) in
            try await equip(configuration, held)
        }
        reportMissingFlash()
    }

    private func reportMissingFlash() {
        guard configuration.flash == .auto, equipment?.hasFlash != true, !hasReportedFlash else { return }
        hasReportedFlash = true
        continuation.yield(
            .notice(
                Notice(
                    .flashNotLit, "has no flash control, so --flash auto has no effect", subject: source.name,
                    advice: "name one with --flash-control")))
    }

    /// Locks the controls. Values that were locked first are kept, so that pictures before and after a loss match.
    private func hold(_ frame: Frame) async throws(CaptureError) {
        guard let held = try await heldControls(frame) else { return }
        self.held = self.held ?? held
        for notice in held.notices where reportedNotices.insert(notice).inserted { continuation.yield(.notice(notice)) }
    }

    /// Locks the controls. If that fails, it restores those that are locked already: the next attempt would take them
    /// for manual.
    private func heldControls(_ frame: Frame) async throws(CaptureError) -> HeldControls? {
        guard let equipment else {
            return HeldControls(withoutControls: configuration.controls, configuration.locks, configuration.ramps)
        }
        let span = frameDuration ?? .milliseconds(100)
        do throws(CaptureError) {
            return try await deadline.bound("locking the controls") { () throws(CaptureError) in
                try await equipment.hold(frame, frameDuration: span)
            }
        } catch {
            // A driver that hangs gets only a little more time, and restores the controls if it returns later.
            let deadline = Deadline(subject: source.name, limit: .seconds(2))
            try? await deadline.bound("restoring the controls") { await equipment.restore() }
            throw error
        }
    }

    /// Waits until the exposure is steady. If the camera has controls, the steady frame holds none of its buffers:
    /// locking the controls may take long, and a stream cannot be stopped while a buffer of its camera is in use.
    private func settle(
        _ feed: FrameFeed, _ settle: Settle
    ) async throws(CaptureError) -> (SettleReport, Frame) {
        var detector = SettleDetector(settle)
        let meter = LightMeter()
        defer { meter.close() }
        while let frame = await feed.next() {
            if frameDuration == nil { emitFormat(of: frame.sample) }
            let brightness = detector.ignoresBrightness ? nil : await meter.measure(frame.sample)
            if let report = detector.add(frame.time, brightness: brightness) {
                return (report, equipment == nil ? frame : frame.keepable())
            }
        }
        throw fault ?? session?.failure ?? .sourceEnded(source.name)
    }

    private func emitFormat(of sample: Sample) {
        frameDuration = sample.frameDuration ?? .milliseconds(100)
        continuation.yield(.negotiated(sample.caps))
    }

    // MARK: Closing

    private func shut() async {
        alarm.cancel()
        // A running attempt notices this at its next step; the session stops waiting for frames.
        link?.cancel()
        session?.endFrames()
        await attempts.finish()
        let failure = await disconnect()
        handle(failure.map(CameraSupervisor.Input.closeFailed) ?? .closed)
    }

    /// Closes the session; returns an error if its driver hangs.
    private func disconnect() async -> CaptureError? {
        cancelWatches()
        let (session, watches) = (session, watches)
        (self.session, current, frameDuration, self.watches) = (nil, nil, nil, [])
        link?.cancel()
        link = nil
        // Open controls keep the node of an unplugged camera. The last ones stay open to restore the values that they
        // changed.
        if supervisor.phase != .ended { equipment = nil }
        let failure = await close(session)
        for watch in watches { await watch.value }
        return failure
    }

    private func close(_ session: CameraSession?) async -> CaptureError? {
        do throws(CaptureError) {
            try await session?.close()
            return nil
        } catch {
            return error
        }
    }

    /// Restores the controls, also those of a camera at rest. An unplugged camera has lost the values anyway.
    private func giveControlsBack() async {
        if equipment == nil, held != nil, configurationNow.servedCamera == nil {
            try? await open(controls: configurationNow)
        }
        guard let equipment else { return }
        try? await deadline.bound("restoring the controls") { await equipment.restore() }
        self.equipment = nil
    }

    // MARK: Watching

    private func watch(_ session: CameraSession) {
        let messages = session.messages
        watches = [
            Task { for await message in messages { handle(message: message) } },
            Task { await watchFlow(of: session) },
        ]
    }

    private func cancelWatches() {
        for watch in watches { watch.cancel() }
    }

    /// Handles a message of the bus. A stream that failed also ends, so an end after an error is ignored.
    private func handle(message: BusMessage) {
        guard !Task.isCancelled, fault == nil else { return }
        switch message.content {
        case .error(let error): report(link?.failure ?? CaptureError(error, subject: source.name))
        case .endOfStream where isEndless: report(.streamEnded(source.name, network))
        case .endOfStream: continuation.yield(.ended(.sourceEnded(source.name)))
        default: break
        }
    }

    /// `true` if the end of the stream is a loss. A camera has no end; network cameras end their streams when they
    /// restart. The user's own elements may have an end, unless the user requested their recovery.
    private var isEndless: Bool {
        if case .camera = source { return policy.recovery.isOn }
        return policy.isRecoveryRequested || policy.recovery.isOn && network?.isEndless == true
    }

    private func watchFlow(of session: CameraSession) async {
        var detector = StallDetector(start: PipelineClock.system.now)
        while !Task.isCancelled {
            let now = PipelineClock.system.now
            let limits = StallDetector.Limits(
                stall: policy.stallLimit, giveUp: policy.giveUp, recovers: policy.recovery.isOn,
                frameDuration: frameDuration)
            switch detector.check(session.lastArrival, at: now, limits) {
            case .wait(let until):
                try? await Task.sleep(for: until - now, tolerance: .milliseconds(50), clock: .suspending)
            case .stalled(let silence): continuation.yield(.stalled(silence))
            case .gone(let silence):
                return report(.silentSource(source, silence))
            }
        }
    }

    /// Reports an error as a loss. If the camera is still being opened, the end of its frames stops the attempt.
    private func report(_ error: CaptureError) {
        guard isOpening else { return handle(.lost(error)) }
        fault = fault ?? error
        session?.endFrames()
    }

    /// Watches for devices from the first pause between attempts until the camera is open or abandoned. The supervisor
    /// ignores the events while it is closed.
    private func watchDevices() {
        if case .pausing = supervisor.phase {
            guard devices == nil, let watch = DeviceWatch() else { return }
            devices = (watch, Task { for await event in watch.events { handle(device: event) } })
        } else if let (watch, task) = devices, supervisor.phase == .ended || current != nil {
            watch.end()
            task.cancel()
            closing.add { await task.value }
            devices = nil
        }
    }

    /// Handles an event of the devices. It ignores a node that is closed during an attempt or just after it, because
    /// the attempt may have closed it.
    private func handle(device event: DeviceWatch.Event) {
        let isOurs = isOpening || PipelineClock.system.now - pauseStart < .milliseconds(300)
        if event == .appeared || !isOurs { handle(.appeared) }
    }
}

extension CaptureError {
    /// The error of an attempt or a picture that was canceled.
    package static let calledOff = CaptureError(.temporary, "was canceled")
}
