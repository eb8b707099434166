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
        /// The first tenant's configuration.
        let configuration: CaptureConfiguration
        /// Passes the events on; ends with the camera.
        let events: Task<Void, Never>
    }

    /// A tenant that gets events.
    private struct Service {
        let tenant: CameraTenant
        /// ``CameraTenant/rests`` when the tenant was admitted.
        let rests: Int
        let start: ClockTime
    }

    /// A preview that shows the frames of a session. It must not keep a closed session: its sink holds a buffer of the
    /// camera, and some drivers let a camera return only when nothing of it is held.
    private struct Link {
        weak var session: CameraSession?
        let lens: PreviewLens
    }

    private let equip: SupervisedCamera.Equip
    private var life: Life?
    /// The tenants in the order in which they came.
    private var tenants: [CameraTenant] = []
    /// The tenants that need frames.
    private var services: [Service] = []
    private var state = State()
    /// Serves one tenant after the other: closing a camera takes time.
    private var turns = TaskChain()
    /// Links one preview after the other to the camera.
    private var links = TaskChain()
    private var previews: [ObjectIdentifier: Link] = [:]
    /// The tenants whose previews are being linked.
    private var linking: Set<ObjectIdentifier> = []

    /// - Parameter equip: Opens the controls of the camera.
    init(equip: @escaping SupervisedCamera.Equip) { self.equip = equip }

    /// Gives a tenant the frames that it needs now. If no tenant needs frames then, the camera is free when this
    /// returns.
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

    /// Returns the frame nearest to an earlier moment; `nil` if the camera is closed, or keeps no frames of that time.
    func keptFrame(nearestTo moment: ClockTime) -> Frame? {
        guard let open = state.open else { return nil }
        // After the machine was suspended, the newest frame may be hours old.
        return open.session.keptFrame(nearestTo: moment, within: open.frameDuration * 2)
    }
}

// MARK: - Tenants

extension CameraStation {
    private func admit(_ tenant: CameraTenant) async {
        if let service = services.first(where: { $0.tenant === tenant }) {
            guard service.rests != tenant.rests else { return }
            // The tenant has rested meanwhile, and waits for the camera again.
            await leave(tenant)
        }
        if state.isGone || tenants.isEmpty { await end() }
        let life = self.life ?? begin(tenant)
        if !isTenant(tenant) {
            if let holder = tenants.first,
                let error = tenant.configuration.conflict(with: life.configuration, of: holder.job)
            {
                return tenant.emit(.gone(error))
            }
            tenants.append(tenant)
            await supervise()
        }
        services.append(Service(tenant: tenant, rests: tenant.rests, start: PipelineClock.system.now))
        for event in state.events { tenant.emit(event.adapted(to: tenant.configuration)) }
        await life.camera.open()
        links.add { [self] in await join(tenant) }
    }

    private func isTenant(_ tenant: CameraTenant) -> Bool { tenants.contains { $0 === tenant } }

    private func begin(_ tenant: CameraTenant) -> Life {
        let camera = SupervisedCamera(
            tenant.configuration, equip: equip,
            connected: { [weak self] (session) async throws(CaptureError) in try await self?.use(session) })
        let events = Task { for await event in camera.events { pass(event) } }
        let life = Life(camera: camera, configuration: tenant.configuration, events: events)
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
        services.removeAll { $0.tenant === tenant }
        // A preview that is being linked would appear after the tenant has left.
        await links.finish()
        await hide(tenant)
    }

    /// Ends the use of the camera by a tenant, with this error. The tenant may open it again.
    private func drop(_ tenant: CameraTenant, _ error: CaptureError) {
        tenant.need(.rest)
        tenants.removeAll { $0 === tenant }
        services.removeAll { $0.tenant === tenant }
        tenant.emit(.gone(error))
        // The job waits for this turn when it closes its lease.
        turns.add { [self] in await release(tenant) }
    }

    private func release(_ tenant: CameraTenant) async {
        // The tenant may have come back.
        if !isTenant(tenant) { await leave(tenant) }
        await settle()
    }

    /// Closes a camera that no tenant needs.
    private func settle() async {
        guard !tenants.isEmpty else { return await end() }
        await supervise()
        guard services.isEmpty else { return }
        state = State()
        await life?.camera.rest()
    }

    /// Closes the camera for good, and restores its controls.
    private func end() async {
        guard let life else { return }
        await life.camera.close()
        await life.events.value
        (self.life, state, previews) = (nil, State(), [:])
    }

    private func supervise() async {
        keepFrames()
        await life?.camera.supervise(for: tenants.map(\.configuration))
    }

    /// Keeps the frames of the open camera for the longest time that a tenant needs. Those of a picture that is not steady
    /// yet are not kept.
    private func keepFrames() {
        state.open?.session.keepFrames(for: tenants.map(\.configuration.history).max() ?? .zero)
    }
}

// MARK: - Events

extension CameraStation {
    /// The state of the camera, for tenants that come later.
    private struct State {
        /// The events of the attempt to open it.
        var attempt: [SupervisedCamera.Event] = []
        weak var session: CameraSession?
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
        if case .gone(let error) = event { return lose(error) }
        // The events of a session that was closed for a rest come late.
        guard !services.isEmpty else { return }
        switch event {
        case .opening: state.attempt = [event]
        case .negotiated: state.attempt.append(event)
        case .ready(let camera, _):
            guard camera.session === state.session else { return }
            (state.open, state.loss) = (camera, nil)
            keepFrames()
        case .lost(let error):
            (state.attempt, state.open, state.streamEnd) = ([], nil, nil)
            state.loss = (error, PipelineClock.system.now)
        case .ended(let error): state.streamEnd = error
        case .stalled, .recovering, .recovered, .notice, .gone: break
        }
        for service in services { pass(event, to: service) }
    }

    private func pass(_ event: SupervisedCamera.Event, to service: Service) {
        switch event {
        case .lost(let error) where !service.tenant.configuration.recovery.isOn: drop(service.tenant, error)
        case .recovering(_, _, let error) where hasEnded(service): drop(service.tenant, error)
        default: service.tenant.emit(event.adapted(to: service.tenant.configuration))
        }
    }

    /// `true` if the tenant's recovery has ended. Time before it came does not count.
    private func hasEnded(_ service: Service) -> Bool {
        guard let loss = state.loss else { return false }
        let end = service.tenant.configuration.recovery.end(after: max(loss.time, service.start))
        return end.map { $0 <= PipelineClock.system.now } ?? false
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
    ///
    /// - Throws: The error of a preview if its job is the only one, and then the attempt fails. With several jobs, only
    ///   the job of the preview ends.
    private func use(_ session: CameraSession) async throws(CaptureError) {
        state.session = session
        await links.finish()
        for service in services {
            do throws(CaptureError) {
                try await show(service.tenant)
            } catch {
                guard tenants.count > 1 else { throw error }
                drop(service.tenant, error)
            }
        }
    }

    /// Shows the frames of an open camera on the preview of a tenant that has just come.
    private func join(_ tenant: CameraTenant) async {
        do throws(CaptureError) {
            try await show(tenant)
        } catch {
            if isTenant(tenant) { drop(tenant, error) }
        }
    }

    private func show(_ tenant: CameraTenant) async throws(CaptureError) {
        let key = ObjectIdentifier(tenant)
        guard needsFrames(tenant), let preview = tenant.preview, let session = state.session,
            previews[key]?.session !== session, linking.insert(key).inserted
        else { return }
        defer { linking.remove(key) }
        guard let lens = try await session.show(on: preview, tenant.configuration.orientation) else { return }
        if needsFrames(tenant) {
            previews[key] = Link(session: session, lens: lens)
        } else {
            await session.hide(lens)
        }
    }

    private func needsFrames(_ tenant: CameraTenant) -> Bool { services.contains { $0.tenant === tenant } }

    private func hide(_ tenant: CameraTenant) async {
        guard let link = previews.removeValue(forKey: ObjectIdentifier(tenant)) else { return }
        await link.session?.hide(link.lens)
    }
}
