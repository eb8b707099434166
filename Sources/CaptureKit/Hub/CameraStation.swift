// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

/// Shares a camera of a ``CameraHub`` among its tenants: opens it while at least one needs frames, passes its events
/// on, and shows its frames on their previews.
///
/// The first tenant's configuration decides about the format and the controls until all tenants have left. The longest
/// recovery of all tenants decides how long a lost camera is reopened; a tenant with a shorter one leaves earlier.
actor CameraStation {
    /// The camera from the first tenant to the last, or until it is lost for good.
    private struct Life {
        let camera: SupervisedCamera
        /// The configuration of the first tenant.
        let configuration: CaptureConfiguration
        /// Passes the events on; ends with the camera.
        let events: Task<Void, Never>
    }

    private let isShared: Bool
    private var life: Life?
    private var tenants: [CameraTenant] = []
    /// The tenants that get events, which are those that need frames.
    private var served: [CameraTenant] = []
    private var state = State()
    /// Serves one tenant after the other: closing a camera takes time.
    private var turns = TaskChain()
    /// Links one preview after the other to the camera.
    private var links = TaskChain()
    private var lenses: [ObjectIdentifier: (session: CameraSession, lens: PreviewLens)] = [:]

    /// - Parameter isShared: `false` for the camera of a single job.
    init(isShared: Bool) { self.isShared = isShared }

    /// Gives a tenant what it needs now. If no tenant needs frames then, the camera is free when this returns.
    func serve(_ tenant: CameraTenant) async {
        turns.add { [self] in
            switch tenant.need {
            case .frames: await admit(tenant)
            case .rest: await pause(tenant)
            case .nothing: await dismiss(tenant)
            }
        }
        await turns.finish()
    }

    /// Adjusts the ramped controls to the light of a picture.
    func follow(_ frame: Frame) async { await life?.camera.follow(frame) }
}

// MARK: - Tenants

extension CameraStation {
    private func admit(_ tenant: CameraTenant) async {
        guard !served.contains(where: { $0 === tenant }) else { return }
        if state.isGone || tenants.isEmpty { await end() }
        let life = self.life ?? begin(tenant.configuration)
        if !tenants.contains(where: { $0 === tenant }) {
            if let error = tenant.configuration.conflict(with: life.configuration, of: tenants.first?.job ?? "") {
                return tenant.emit(.gone(error))
            }
            tenants.append(tenant)
            await supervise()
        }
        await link(tenant)
        // The tenant may have failed to link.
        guard tenants.contains(where: { $0 === tenant }) else { return }
        served.append(tenant)
        for event in state.events { tenant.emit(event.adapted(to: tenant.configuration)) }
        await life.camera.open()
    }

    private func begin(_ configuration: CaptureConfiguration) -> Life {
        let camera = SupervisedCamera(
            configuration, isShared: isShared, connected: { [weak self] session in await self?.use(session) })
        let events = Task { for await event in camera.events { pass(event) } }
        let life = Life(camera: camera, configuration: configuration, events: events)
        (self.life, state) = (life, State())
        return life
    }

    private func pause(_ tenant: CameraTenant) async {
        await leave(tenant)
        await settle()
    }

    private func dismiss(_ tenant: CameraTenant) async {
        await leave(tenant)
        tenants.removeAll { $0 === tenant }
        tenant.finish()
        await settle()
    }

    private func leave(_ tenant: CameraTenant) async {
        served.removeAll { $0 === tenant }
        if let (session, lens) = lenses.removeValue(forKey: ObjectIdentifier(tenant)) { await session.hide(lens) }
    }

    /// Ends the use of the camera by a tenant, with this error.
    private func drop(_ tenant: CameraTenant, _ error: CaptureError) {
        tenants.removeAll { $0 === tenant }
        tenant.emit(.gone(error))
        turns.add { [self] in
            await leave(tenant)
            await settle()
        }
    }

    /// Closes a camera that no tenant needs.
    private func settle() async {
        guard !tenants.isEmpty else { return await end() }
        await supervise()
        guard served.isEmpty else { return }
        state = State()
        await life?.camera.rest()
    }

    /// Closes the camera for good, and restores its controls.
    private func end() async {
        guard let life else { return }
        await life.camera.close()
        await life.events.value
        (self.life, state) = (nil, State())
    }

    private func supervise() async {
        let longest = tenants.map(\.configuration).max { $0.recovery.isShorter(than: $1.recovery) }
        if let longest { await life?.camera.supervise(as: longest) }
    }
}

// MARK: - Events

extension CameraStation {
    /// The state of the camera, for tenants that come later.
    private struct State {
        /// The events of the attempt to open it.
        var attempt: [SupervisedCamera.Event] = []
        var session: CameraSession?
        var open: OpenCamera?
        var streamEnd: CaptureError?
        var loss: (error: CaptureError, time: ClockTime)?
        var isGone = false

        /// The events that lead to this state.
        var events: [SupervisedCamera.Event] {
            var events = attempt
            if let open { events.append(.ready(open, nil)) }
            if let streamEnd { events.append(.ended(streamEnd)) }
            if let loss { events.append(.lost(loss.error)) }
            return events
        }
    }

    private func pass(_ event: SupervisedCamera.Event) {
        switch event {
        case .opening: state.attempt = [event]
        case .negotiated: state.attempt.append(event)
        case .ready(let camera, _):
            // The event of a session that was closed for a rest comes late.
            guard camera.session === state.session else { return }
            (state.open, state.loss) = (camera, nil)
        case .lost(let error):
            (state.attempt, state.open, state.streamEnd) = ([], nil, nil)
            state.loss = (error, PipelineClock.system.now)
        case .ended(let error): state.streamEnd = error
        case .gone(let error): return lose(error)
        case .stalled, .recovering, .recovered, .notice: break
        }
        for tenant in served { pass(event, to: tenant) }
    }

    private func pass(_ event: SupervisedCamera.Event, to tenant: CameraTenant) {
        let recovery = tenant.configuration.recovery
        switch event {
        case .lost(let error) where !recovery.isOn: drop(tenant, error)
        case .recovering(_, _, let error) where hasEnded(recovery): drop(tenant, error)
        default: tenant.emit(event.adapted(to: tenant.configuration))
        }
    }

    private func hasEnded(_ recovery: Recovery) -> Bool {
        guard let loss = state.loss, let end = recovery.end(after: loss.time) else { return false }
        return end <= PipelineClock.system.now
    }

    /// Ends the use of the camera by all tenants, resting ones included.
    private func lose(_ error: CaptureError) {
        state.isGone = true
        for tenant in tenants { drop(tenant, error) }
    }
}

extension SupervisedCamera.Event {
    /// Returns the event for a job with this configuration: only jobs with a flash mode use the flash.
    fileprivate func adapted(to configuration: CaptureConfiguration) -> SupervisedCamera.Event {
        guard case .ready(var camera, let frame) = self else { return self }
        camera.firesFlash = camera.firesFlash && configuration.flash != .off
        return .ready(camera, frame)
    }
}

// MARK: - Previews

extension CameraStation {
    /// Links the previews to a session that does not play yet.
    private func use(_ session: CameraSession) async {
        state.session = session
        for tenant in tenants where tenant.need == .frames { await link(tenant) }
    }

    /// Shows the frames of the open camera on the preview of a tenant.
    private func link(_ tenant: CameraTenant) async {
        guard tenant.preview != nil else { return }
        links.add { [self] in await show(tenant) }
        await links.finish()
    }

    private func show(_ tenant: CameraTenant) async {
        guard let preview = tenant.preview, let session = state.session else { return }
        let key = ObjectIdentifier(tenant)
        guard lenses[key]?.session !== session else { return }
        do throws(CaptureError) {
            let lens = try await session.show(on: preview, tenant.configuration.orientation)
            lenses[key] = lens.map { (session: session, lens: $0) }
        } catch {
            drop(tenant, error)
        }
    }
}

extension Recovery {
    /// `true` if this recovery ends earlier than another one.
    fileprivate func isShorter(than other: Recovery) -> Bool {
        switch (self, other) {
        case (.off, .limited), (.off, .always), (.limited, .always): true
        case (.limited(let span), .limited(let otherSpan)): span < otherSpan
        default: false
        }
    }
}
