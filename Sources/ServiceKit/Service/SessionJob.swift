// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import ClipStore
import OverlayCompositor
import PipelineKit
import SessionKit

/// A run of a guided session in a service: passes requests to its controller, and its events to the service.
///
/// The run has a folder, in which it can be resumed. Its preview has no display, but gates see the frames.
actor SessionJob {
    /// The session that is run.
    nonisolated let session: ServiceSession
    /// Completes when the session has ended, and can be started again.
    nonisolated let completion = Completion()

    private let description: SessionDescription
    private let controller: SessionController
    private let events: AsyncStream<NumberedSessionEvent>
    private let emit: @Sendable (ServiceEvent) -> Void
    private var analytics: SessionAnalytics
    private let sink: (any ProductEventSink)?
    /// The role of the camera that the last event was about.
    private var role = CameraRole.front
    /// The folder of the run; `nil` before it is made.
    private var folder: String?
    private var outcome: SessionOutcome?
    /// `true` if a request has ended the session.
    private var isEnding = false

    /// Creates a run; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - file: The file of the session. A run that is resumed has a copy of the file that it began with.
    ///   - configuration: The cameras, and the folder of the pictures.
    ///   - sink: Receives the product events; `nil` for none.
    init(
        _ session: ServiceSession, _ file: SessionFile, _ configuration: SessionConfiguration, hub: CameraHub,
        _ rasterizer: (any Rasterizer)?, _ sink: (any ProductEventSink)?,
        emit: @escaping @Sendable (ServiceEvent) -> Void
    ) {
        (self.session, description, self.emit, self.sink) = (session, file.session, emit, sink)
        analytics = SessionAnalytics(session: session.id, run: SessionAnalytics.newRun(), file.session)
        controller = SessionController(file.session, configuration, hub: hub, rasterizer: rasterizer)
        events = controller.listen(after: 0)
        if case .resumed(let folder) = configuration.output { self.folder = folder }
    }

    /// The state of its cameras, by their IDs.
    private(set) var health: [String: CameraHealth] = [:]
    /// The clips that its cameras record, by the IDs of the cameras.
    private(set) var clips: [String: ClipStatus.SessionClip] = [:]

    /// Runs the session until it is accepted, canceled or left. If the task is canceled, the session is left. The caller
    /// then emits the event of the end, and completes ``completion``.
    ///
    /// - Returns: The outcome, and the event of the end; `nil` if the task was canceled.
    func run() async -> (outcome: SessionOutcome, end: ServiceEvent?) {
        async let outcome = controller.run()
        var end: ServiceEvent?
        for await event in events {
            let report = follow(event.event)
            if case .finished = event.event { end = report } else { emit(report) }
        }
        let ended = await outcome
        self.outcome = ended
        return (ended, end)
    }

    /// Performs a request.
    ///
    /// - Returns: The reason if the session refuses it in its present phase; `nil` if it is carried out, or waits until
    ///   the session is prepared.
    func perform(_ action: SessionRequest.Action) async -> SessionRefusal? {
        guard case .refused(let reason, let explanation) = await controller.perform(action) else {
            // No phase refuses these two, also if they wait.
            if [.cancel, .leave].contains(action) { isEnding = true }
            return nil
        }
        return SessionRefusal(reason: reason, explanation: explanation)
    }

    /// `true` if the service left the session, not a client.
    private(set) var wasLeftByService = false

    /// Leaves the session as it is. Returns at once; ``completion`` tells when its pictures are safe and its cameras are
    /// closed.
    func leave() async {
        wasLeftByService = true
        await controller.leave()
    }

    /// `true` if the session has ended, or will soon: it was accepted or canceled, and still closes its cameras.
    var isOver: Bool {
        get async {
            guard outcome == nil, !isEnding else { return true }
            return [.accepted, .cancelled].contains(await controller.snapshot().phase.name)
        }
    }

    /// The state of the session; `nil` after its end.
    var state: SessionRunState? {
        get async {
            guard outcome == nil else { return nil }
            return SessionRunState(description: description, snapshot: await controller.snapshot())
        }
    }

    /// Updates the state of the cameras, records the product events, and returns the event for clients.
    private func follow(_ event: SessionEvent) -> ServiceEvent {
        switch event {
        case .opening(_, let role, _), .camera(_, let role), .lost(_, let role), .recovered(let role): self.role = role
        case .captured(let still, let folder): (role, self.folder) = (still.role ?? role, folder)
        case .finished(let outcome): folder = outcome.folder ?? folder
        default: break
        }
        if let camera = session.cameras[role] ?? session.cameras.values.first {
            health[camera, default: CameraHealth()].record(session: event, at: PipelineClock.system.now)
        }
        follow(clip: event)
        if let sink {
            for event in analytics.record(event, at: PipelineClock.system.now, .now()) { sink.record(event) }
        }
        return ServiceEvent(event, of: description, session: session.id, runFolder: folder)
    }

    /// Updates the clips that the cameras record.
    private func follow(clip event: SessionEvent) {
        guard case .recorder(let recording, let role) = event,
            let camera = session.cameras[role] ?? session.cameras.values.first
        else { return }
        guard recording != SessionRecording() else {
            clips[camera] = nil
            return
        }
        let since = recording.isOn ? clips[camera]?.since ?? .now() : nil
        clips[camera] = ClipStatus.SessionClip(of: session.id, since: since, microphone: recording.microphone)
    }
}

extension ServiceSession {
    /// Returns the file of the session and the destination of its pictures; `nil` if the run is over. Blocks.
    ///
    /// - Parameter run: The ID of the run to resume; `nil` for a new one.
    func source(_ run: String?) throws(CaptureError) -> (SessionFile, SessionConfiguration.Output)? {
        guard let run else { return (file, .folder(in: output)) }
        let entry = try SessionRuns.run(run, of: self)
        guard entry.record.progress.ending == nil else { return nil }
        try entry.checkIdle()
        return (try entry.definition(), .resumed(folder: entry.path))
    }

    /// Returns `true` if another configuration has other settings for the session or its cameras.
    func hasChanged(in next: ServiceConfiguration, cameras changed: Set<String>) -> Bool {
        !next.sessions.contains(self) || !changed.isDisjoint(with: cameras.values)
    }
}

/// The reason why a session does not carry out a request now.
public struct SessionRefusal: Error, Sendable, Hashable {
    /// The reason for programs, such as `waiting-for-gates`.
    public let reason: String
    /// The reason in words.
    public let explanation: String
}

/// The state of a session that is running.
public struct SessionRunState: Sendable {
    let description: SessionDescription
    let snapshot: SessionSnapshot

    /// The ID of the run; `nil` before its folder is made.
    public var run: String? { snapshot.folder.map(SessionRuns.name) }
}
