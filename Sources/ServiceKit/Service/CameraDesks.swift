// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import SessionKit
import StillKit

/// Owns the configuration of a service and the desks of its cameras, and changes both.
///
/// A change is the difference of two configurations: a desk whose settings stay takes other series, and every other
/// desk ends and is replaced. A change tells all jobs to end before it waits for any, and waits at most for its patience:
/// a disk or a driver that hangs keeps neither the other cameras nor the next change. Jobs that replace others begin when
/// those have ended.
actor CameraDesks {
    /// The configuration that is in force.
    private(set) var configuration: ServiceConfiguration

    private let parts: ServiceParts
    private let sessions: SessionDesk
    private let tasks: TaskScope
    private let patience: Duration
    private var created: CreatedSeriesList
    private var desks: [String: CameraDesk]
    /// Desks that have been replaced or removed, and still end their jobs.
    private var ending: [(camera: ServiceCamera, desk: CameraDesk)] = []
    /// Changes follow one another.
    private let changes = Turns()
    private var hasBegun = false
    private var hasEnded = false

    /// - Parameters:
    ///   - tasks: Runs the desks.
    ///   - patience: How long a change waits for jobs to end.
    ///   - state: The folder of the series that clients create; `nil` if they cannot create any.
    init(
        _ configuration: ServiceConfiguration, _ parts: ServiceParts, _ sessions: SessionDesk, tasks: TaskScope,
        patience: Duration, state: String?
    ) {
        (self.configuration, self.parts, self.sessions, self.tasks) = (configuration, parts, sessions, tasks)
        (self.patience, created) = (patience, CreatedSeriesList(state: state))
        desks = Dictionary(configuration.cameras.map { ($0.id, CameraDesk($0, parts)) }) { $1 }
    }

    /// Adds the series that clients created when an earlier process ran; see ``CaptureService/prepare()``.
    func prepare() async -> [CaptureError] {
        var list = created
        let unreadable = await list.read()
        created = list
        let (next, unfit) = created.added(to: configuration)
        configuration = next
        await begin()
        return unreadable + unfit
    }

    /// Starts all series, unless ``prepare()`` did.
    func begin() async {
        guard !hasBegun else { return }
        hasBegun = true
        for desk in desks.values { run(desk) }
        for camera in configuration.cameras { await take(camera) }
    }

    /// Ends all desks after their current pictures. Returns at once.
    ///
    /// - Returns: The completions of all desks that have not ended.
    func end(because error: CaptureError) async -> [Completion] {
        hasEnded = true
        let all = ending.map(\.desk) + desks.values
        for desk in desks.values { await desk.end(because: error) }
        return all.map(\.completion)
    }

    private func run(_ desk: CameraDesk) { tasks.add { await desk.run() } }

    /// Has the desk of a camera take its settings, and starts its new series. Creates the desk if there is none.
    private func take(_ camera: ServiceCamera) async {
        guard !hasEnded else { return }
        let desk = desks[camera.id] ?? add(camera)
        _ = await desk.use(camera)
        await desk.startSeries()
    }

    private func add(_ camera: ServiceCamera) -> CameraDesk {
        let earlier = ending.filter { $0.camera.shares(with: camera) }.map(\.desk.completion)
        let desk = CameraDesk(camera, parts, after: earlier)
        desks[camera.id] = desk
        run(desk)
        return desk
    }
}

// MARK: - Requests

extension CameraDesks {
    /// Returns the desk of a camera.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such camera.
    func desk(_ id: String) throws(CaptureError) -> CameraDesk {
        guard let desk = desks[id] else { throw .unknown("camera", id) }
        return desk
    }

    /// Returns a series that runs.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such series.
    func series(_ id: String) async throws(CaptureError) -> SeriesJob {
        for desk in desks.values { if let job = await desk.series(id) { return job } }
        throw .unknown("series", id)
    }

    /// Returns a session of the configuration.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such session.
    func session(_ id: String) throws(CaptureError) -> ServiceSession {
        guard let session = configuration.sessions.first(where: { $0.id == id }) else { throw .unknown("session", id) }
        return session
    }

    /// Returns a session of the configuration, the desks of its cameras, and the conditions for its storage.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such session or no such camera.
    func cameras(
        ofSession id: String
    ) throws(CaptureError) -> (session: ServiceSession, cameras: [CameraRole: CameraDesk], storage: StoragePolicy) {
        let session = try session(id)
        var cameras: [CameraRole: CameraDesk] = [:]
        for (role, id) in session.cameras { cameras[role] = try desk(id) }
        return (session, cameras, session.storage(of: configuration.cameras))
    }

    /// Returns the states of the cameras and of their series, in the order of the configuration.
    ///
    /// - Parameters:
    ///   - sessions: The states of the cameras, as sessions see them, by the IDs of the cameras.
    ///   - clips: The clips that sessions record, by the IDs of the cameras.
    func statuses(
        with sessions: [String: CameraHealth], _ clips: [String: ClipStatus.SessionClip]
    ) async -> (cameras: [CameraStatus], series: [SeriesStatus]) {
        var (cameras, series): ([CameraStatus], [SeriesStatus]) = ([], [])
        for desk in configuration.cameras.compactMap({ desks[$0.id] }) {
            let (camera, own) = await desk.status(with: sessions[desk.id], clips[desk.id])
            cameras.append(camera)
            for var status in own {
                status.isCreated = created.contains(status.id, in: configuration)
                series.append(status)
            }
        }
        return (cameras, series)
    }
}

// MARK: - Changes

extension CameraDesks {
    /// Replaces the configuration; see ``CaptureService/reload(_:)``.
    func reload(_ next: ServiceConfiguration) async -> [CaptureError] {
        await changes.take()
        defer { changes.end() }
        let (next, errors) = created.added(to: next)
        await replace(with: next)
        return errors
    }

    /// Gives an ID another camera of this machine. Its controls are forgotten.
    ///
    /// - Parameters:
    ///   - id: The ID.
    ///   - earlier: The camera that it had; `nil` if that is not known.
    /// - Throws: `CaptureError` `.noInput` if there is no such ID, `.temporary` if the service is stopping.
    func use(_ device: Camera, as id: String, insteadOf earlier: Camera?) async throws(CaptureError) {
        await changes.take()
        defer { changes.end() }
        try checkRunning()
        _ = try desk(id)
        var next = configuration
        next.use(device, as: id)
        guard next != configuration else { return }
        if let earlier { await parts.controls.forget(earlier) }
        await replace(with: next)
    }

    /// Creates a series, and starts it; see ``CaptureService/create(_:)``.
    func create(_ new: CreatedSeries) async throws(CaptureError) {
        await changes.take()
        defer { changes.end() }
        try checkRunning()
        var list = created
        let next = try await list.create(new, in: configuration)
        (created, configuration) = (list, next)
        // A service that stops meanwhile runs the series at its next start.
        if let camera = next.cameras.first(where: { $0.id == new.camera }) { await take(camera) }
    }

    /// Ends a series that a client created, and forgets it; see ``CaptureService/remove(series:)``.
    func remove(series id: String) async throws(CaptureError) {
        await changes.take()
        defer { changes.end() }
        try checkRunning()
        let camera = configuration.cameras.first { $0.series.contains { $0.id == id } }
        guard created.contains(id, in: configuration) else {
            guard camera != nil else { throw .unknown("series", id) }
            throw CaptureError(
                .usage, "belongs to the configuration", subject: id.quoted,
                advice: "stop it, or remove it from the file")
        }
        var list = created
        try await list.remove(id)
        created = list
        guard var camera, let desk = desks[camera.id] else { return }
        camera.series.removeAll { $0.id == id }
        await desk.use(camera).wait(atMost: patience)
        configuration.remove(series: id)
    }

    private func checkRunning() throws(CaptureError) { if hasEnded { throw .isStopping } }

    private func replace(with next: ServiceConfiguration) async {
        guard !hasEnded else { return }
        let before = Dictionary(configuration.cameras.map { ($0.id, $0) }) { $1 }
        let kept = next.cameras.filter { before[$0.id].map($0.isSameDesk) ?? false }
        let keptSeries = kept.map { camera in camera.series.count { before[camera.id]?.series.contains($0) ?? false } }
        let ended = before.filter { id, _ in !kept.contains { $0.id == id } }
        var completions = await leaveSessions(for: next, ended: Set(ended.keys))
        for (id, camera) in ended {
            guard let desk = desks[id] else { continue }
            await desk.end(because: .hasChanged(id))
            completions.append(desk.completion)
            ending.append((camera, desk))
        }
        for camera in kept { completions += await desks[camera.id]?.use(camera) ?? [] }
        await completions.wait(atMost: patience)
        guard !hasEnded else { return }
        ending.removeAll { $0.desk.completion.isComplete }
        for id in ended.keys { desks[id] = nil }
        configuration = next
        // One may have been started for the earlier configuration meanwhile.
        await leaveSessions(for: next, ended: Set(ended.keys)).wait(atMost: patience)
        guard !hasEnded else { return }
        for camera in next.cameras { await take(camera) }
        parts.emit(
            ServiceEvent("reloaded", camera: nil, series: nil, ["kept": .integer(keptSeries.reduce(0, +))]))
    }

    private func leaveSessions(for next: ServiceConfiguration, ended: Set<String>) async -> [Completion] {
        await sessions.leave(because: .hasChanged("session")) { $0.hasChanged(in: next, cameras: ended) }
    }
}

extension CaptureError {
    /// The error of a request while the service stops.
    static let isStopping = CaptureError(.temporary, "the service is stopping")

    /// The error of a request that a change of the configuration has ended.
    static func hasChanged(_ subject: String) -> CaptureError {
        CaptureError(
            .temporary, "the configuration of the service has changed", subject: subject, advice: "request it again")
    }

    /// Creates the error of an ID that the service does not have.
    package static func unknown(_ kind: String, _ id: String) -> CaptureError {
        CaptureError(.noInput, "there is no such \(kind)", subject: id.quoted)
    }
}
