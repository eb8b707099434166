// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import ClipStore
import SessionKit
import StillKit

/// Owns the sessions of a service from the request that starts them to their end. A session can use several cameras.
actor SessionDesk {
    /// A session whose cameras are being found.
    private struct Start {
        let session: ServiceSession
        let completion = Completion()
        /// The error with which the start ends.
        var reason: CaptureError?
    }

    private let parts: ServiceParts
    private let analytics: (any ProductEventSink)?
    private let retention: SessionRetention
    private let tasks: TaskScope
    private var jobs: [String: SessionJob] = [:]
    private var starts: [String: Start] = [:]
    /// The reason why no session can be started; `nil` while they can.
    private var end: CaptureError?

    /// - Parameters:
    ///   - analytics: Receives the product events; `nil` for none.
    ///   - tasks: Runs the sessions.
    init(
        _ parts: ServiceParts, _ analytics: (any ProductEventSink)?, _ retention: SessionRetention, tasks: TaskScope
    ) {
        (self.parts, self.analytics, self.retention, self.tasks) = (parts, analytics, retention, tasks)
    }

    /// The error that keeps product events from being stored; `nil` if there is none.
    nonisolated var analyticsFault: CaptureError? { analytics?.fault }

    /// The state of a session; `nil` if it is not running.
    func state(of id: String) async -> SessionRunState? { await jobs[id]?.state }

    /// The states of the cameras of all sessions, by the IDs of the cameras.
    var health: [String: CameraHealth] {
        get async {
            var states: [String: CameraHealth] = [:]
            for job in jobs.values { states.merge(await job.health) { CameraHealth.worst(of: [$0, $1]) } }
            return states
        }
    }

    /// The clips that sessions record, by the IDs of the cameras.
    var clips: [String: ClipStatus.SessionClip] {
        get async {
            var clips: [String: ClipStatus.SessionClip] = [:]
            // The clip with a microphone counts if two sessions record with the camera.
            for job in jobs.values { clips.merge(await job.clips) { $0.microphone == nil ? $1 : $0 } }
            return clips
        }
    }

    /// Starts a session, or resumes one of its runs; see ``CaptureService/startSession(_:resuming:forKiosk:usingCamera:)``.
    ///
    /// - Parameters:
    ///   - cameras: The cameras by role; empty to open none.
    ///   - storage: The conditions under which the run is stored.
    ///   - isCurrent: Returns `false` if the configuration does not have the session anymore.
    func start(
        _ session: ServiceSession, resuming run: String?, forKiosk isKiosk: Bool, cameras: [CameraRole: CameraDesk],
        storage: StoragePolicy, if isCurrent: @Sendable () async -> Bool
    ) async throws -> SessionRunState? {
        // A run that is over only closes its cameras.
        if let job = jobs[session.id], await job.isOver { await job.completion.wait() }
        try begin(session)
        defer { starts.removeValue(forKey: session.id)?.completion.complete() }
        let source = try await BlockingWork.run { () throws(CaptureError) in try session.source(run) }
        guard let (file, output) = source else {
            throw SessionRefusal(reason: "over", explanation: "the run is over: start a new one")
        }
        var found: [CameraRole: CaptureConfiguration] = [:]
        for (role, desk) in cameras { found[role] = try await desk.sessionConfiguration() }
        // The job would escape a reload or a stop: one that came before the start was known here, or meanwhile.
        guard await isCurrent() else { throw CaptureError.hasChanged(session.id) }
        if let reason = starts[session.id]?.reason { throw reason }
        var configuration = SessionConfiguration(cameras: found, output: output)
        configuration.storage = storage
        configuration.endsUnbegun = true
        configuration.definition = file
        if isKiosk, file.session.idle == nil { configuration.idle = ServiceSession.kioskIdle }
        let job = SessionJob(
            session, file, configuration, hub: parts.hub, parts.rasterizer, analytics, emit: parts.emit)
        jobs[session.id] = job
        tasks.add { [self] in await self.run(job, file, forKiosk: isKiosk) }
        return await job.state
    }

    /// Performs a request of a session that is running.
    ///
    /// - Returns: The state after the request; `nil` if the session has ended.
    /// - Throws: `SessionRefusal` if the session is not running, or refuses the request in its present phase.
    func perform(_ action: SessionRequest.Action, of id: String) async throws -> SessionRunState? {
        guard let job = jobs[id] else {
            throw SessionRefusal(reason: "not-running", explanation: "the session is not running: start it first")
        }
        if let refusal = await job.perform(action) { throw refusal }
        return await job.state
    }

    /// Leaves sessions, also those that are being started. Returns at once.
    ///
    /// - Returns: The completions of these sessions.
    func leave(because reason: CaptureError, where isLeft: (ServiceSession) -> Bool) async -> [Completion] {
        var completions: [Completion] = []
        for (id, start) in starts where isLeft(start.session) {
            starts[id]?.reason = reason
            completions.append(start.completion)
        }
        let leaving = jobs.values.filter { isLeft($0.session) }
        for job in leaving { await job.leave() }
        return completions + leaving.map(\.completion)
    }

    /// Leaves all sessions; none can be started afterward. Returns at once.
    ///
    /// - Returns: The completions of the sessions.
    func end(because reason: CaptureError) async -> [Completion] {
        end = reason
        return await leave(because: reason) { _ in true }
    }

    private func begin(_ session: ServiceSession) throws {
        if let end { throw end }
        guard jobs[session.id] == nil, starts[session.id] == nil else {
            throw SessionRefusal(
                reason: "already-running", explanation: "the session is running: end it, or use its requests")
        }
        starts[session.id] = Start(session: session)
    }

    private func run(_ job: SessionJob, _ file: SessionFile, forKiosk isKiosk: Bool) async {
        let (outcome, end) = await job.run()
        free(job, end)
        // A disk that hangs keeps only this task.
        if isKiosk, !file.session.keepsAborted { await discard(outcome, wasLeft: await job.wasLeftByService) }
        await follow(outcome)
    }

    /// Gives the place of a session back, and reports its end. A client may start the session again at this event, and
    /// the events of the next run follow it: nothing suspends between both.
    private func free(_ job: SessionJob, _ end: ServiceEvent?) {
        jobs[job.session.id] = nil
        if let end { parts.emit(end) }
        job.completion.complete()
    }

    /// Removes the pictures of a session that failed, for example because its camera is gone, or that the service left
    /// at its end or for a new configuration: a stranger cannot resume it.
    private func discard(_ outcome: SessionOutcome, wasLeft: Bool) async {
        guard let folder = outcome.folder else { return }
        switch outcome.ending {
        case .failed: break
        case .left where wasLeft: break
        default: return
        }
        do throws(CaptureError) {
            try await BlockingWork.run { () throws(CaptureError) in try SessionArchive.entry(at: folder) }.discard()
            parts.emit(ServiceEvent("discarded", camera: nil, series: nil, runFolder: folder))
        } catch {
            parts.emit(.notRemoved(error))
        }
    }

    /// Has the pictures of a run removed in time, and ends the service if a driver hangs.
    private func follow(_ outcome: SessionOutcome) async {
        if let folder = outcome.folder { await retention.watch(run: folder) }
        if case .failed(let error) = outcome.ending, error.code == .wedged { parts.giveUp(error) }
    }
}

extension ServiceEvent {
    /// The removal of a run whose time is over.
    static func expired(_ folder: String) -> ServiceEvent {
        ServiceEvent("expired", camera: nil, series: nil, runFolder: folder)
    }

    /// The notice that the pictures of a run could not be removed.
    static func notRemoved(_ error: CaptureError) -> ServiceEvent {
        ServiceEvent("notice", camera: nil, series: nil, Notice(.pictureNotRemoved, error).members)
    }
}
