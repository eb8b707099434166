// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import OverlayCompositor
import PipelineKit
import ScheduleKit
import SessionKit
import StillKit

/// Owns cameras, runs their series, captures single pictures, and runs guided sessions on request. It knows no HTTP.
///
/// All jobs share one `CameraHub`. Each series resumes from its ledger, and is retried after a fault. Any task may call
/// a service; a call waits for no camera unless its comment says so.
///
///     let service = CaptureService(configuration)
///     Task { for await event in service.listen() { print(event.number, event.event.kind) } }
///     let failure = await service.run()  // meanwhile: await service.snap("garden"), pause("minute"), stop() …
public actor CaptureService {
    /// Distinguishes the events of this service from those of an earlier process, whose numbers also begin with 1.
    public nonisolated let epoch: String

    private nonisolated let broadcast = EventBroadcast<ServiceEvent>(keeping: CaptureService.keptEvents)
    private let hub = CameraHub()
    private let streams = StreamHub()
    private let loans = FrameLoans()
    private let controls: ControlChanges
    private let rasterizer: (any Rasterizer)?
    private let retryDelay: Duration
    private let observer: (any ServiceObserver)?
    private let analytics: (any ProductEventSink)?
    private let start = WallTime.now()
    private let jobs = TaskScope()
    private let folder: SeriesFolder?
    private var configuration: ServiceConfiguration
    /// The series that clients created.
    private var created: [CreatedSeries] = []
    private var sources: [String: CameraSource]
    private var series: [String: SeriesJob] = [:]
    private var snaps: [String: SnapState] = [:]
    private var sessions = SessionJobs()
    private let retention: SessionRetention
    private var isStopping = false
    /// Changes of the configuration follow one another.
    private let changes = Turns()
    private var failure: CaptureError?

    /// The single pictures of a camera.
    private struct SnapState {
        var pending = 0
        var controllers: [ObjectIdentifier: CaptureController] = [:]
        var health = CameraHealth()
        var last: Still?
    }

    /// The maximum number of single pictures of a camera that are captured at the same time.
    public static let mostSnaps = 4
    /// The maximum number of series that clients have created.
    public static let mostCreatedSeries = 64
    /// How many events are kept for listeners that continue.
    public static let keptEvents = 10_000

    /// Creates a service; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - rasterizer: Draws the layers of `burn-in`; `nil` if there is none.
    ///   - retryDelay: The pause before the first retry after a fault; it doubles up to a minute.
    ///   - observer: Receives the events of all jobs; `nil` if there is none.
    ///   - analytics: Receives the product events of sessions; `nil` for none.
    ///   - state: The folder of the series that clients create; `nil` if they cannot create any.
    public init(
        _ configuration: ServiceConfiguration, rasterizer: (any Rasterizer)? = nil, retryDelay: Duration = .seconds(1),
        observer: (any ServiceObserver)? = nil, analytics: (any ProductEventSink)? = nil, state: String? = nil
    ) {
        (self.configuration, self.rasterizer, self.retryDelay) = (configuration, rasterizer, retryDelay)
        (self.observer, self.analytics, folder) = (observer, analytics, state.map(SeriesFolder.init(state:)))
        controls = ControlChanges(hub)
        retention = SessionRetention { [broadcast] in broadcast.emit(.notRemoved($0)) }
        sources = Dictionary(configuration.cameras.map { ($0.id, CameraSource($0.settings)) }) { $1 }
        epoch = String(start.millisecondsSince1970, radix: 36)
    }

    /// Runs all series. Returns after ``stop()``, when their last pictures are safe; the result is the error that ended
    /// the service, if one did. If the task is canceled, pictures that are being captured are abandoned. Call it once.
    public func run() async -> CaptureError? {
        for camera in configuration.cameras { add(camera) }
        let folders = Set(configuration.sessions.map(\.output))
        jobs.add { [retention] in await retention.watch(folders) }
        await jobs.run()
        await retention.close()
        broadcast.finish()
        return failure
    }

    /// Stops the service after the current picture of each series, and leaves its sessions. Returns when the pictures
    /// are safe.
    public func stop() async {
        isStopping = true
        for job in sessions.running { await job.leave() }
        streams.end()
        loans.end(CaptureError(.noCamera, "the service has stopped", subject: "camera"))
        let running = Array(series.values)
        for job in running { await job.end() }
        for job in running { await job.ended() }
        jobs.end()
    }

    /// Replaces the configuration. Series that did not change continue undisturbed; a series that changed, or whose
    /// camera did, ends after its current picture and begins again with its new settings; such a session is left. The
    /// addresses stay. Series that clients created are kept.
    ///
    /// - Returns: An error for each created series that does not fit into the new configuration, when the series that
    ///   ended have ended.
    @discardableResult
    public func reload(_ next: ServiceConfiguration) async -> [CaptureError] {
        await changes.take()
        defer { changes.end() }
        let (next, errors) = folder.map { next.adding(created, in: $0.pictures) } ?? (next, [])
        await replace(with: next)
        return errors
    }

    private func replace(with next: ServiceConfiguration) async {
        guard !isStopping else { return }
        let earlier = Dictionary(uniqueKeysWithValues: configuration.cameras.map { ($0.id, $0) })
        var kept: Set<String> = []
        for camera in next.cameras {
            guard let old = earlier[camera.id], old.settings == camera.settings else { continue }
            kept.formUnion(camera.series.filter(old.series.contains).map(\.id))
        }
        let changed = Set(
            next.cameras.filter { $0.settings != earlier[$0.id]?.settings }.map(\.id)
                + earlier.keys.filter { id in !next.cameras.contains { $0.id == id } })
        for job in sessions.running where job.session.hasChanged(in: next, cameras: changed) { await job.leave() }
        await end(series.keys.filter { !kept.contains($0) })
        guard !isStopping else { return }
        for id in changed {
            (sources[id], snaps[id]) = (nil, nil)
            streams.end(of: id)
            loans.end(of: id, CaptureError(.noCamera, "the configuration of the service has changed", subject: id))
        }
        configuration = next
        for camera in next.cameras { add(camera) }
        let folders = Set(next.sessions.map(\.output))
        jobs.add { [retention] in await retention.watch(folders) }
        broadcast.emit(ServiceEvent("reloaded", camera: nil, series: nil, ["kept": .integer(kept.count)]))
    }

    /// Ends series after their current pictures.
    private func end(_ ids: [String]) async {
        let ending = series.filter { ids.contains($0.key) }
        for job in ending.values { await job.end() }
        for (id, job) in ending {
            await job.ended()
            series[id] = nil
        }
    }

    /// Returns the events of all jobs with their numbers, for any number of listeners.
    ///
    /// - Parameters:
    ///   - number: The last event that the listener knows: those after it follow, as far as the last 10,000 contain
    ///     them. `nil` for the events from now on.
    ///   - capacity: How many events the listener may be behind before it loses the oldest.
    public nonisolated func listen(
        after number: Int? = nil, buffering capacity: Int = 10_000
    ) -> AsyncStream<NumberedEvent<ServiceEvent>> {
        broadcast.listen(after: number, buffering: capacity)
    }

    /// The state of the service.
    public var status: ServiceStatus {
        get async {
            // Events that come meanwhile are repeated to a listener that continues from this number; none is lost.
            let lastEvent = broadcast.lastNumber
            var statuses: [SeriesStatus] = []
            for id in configuration.cameras.flatMap(\.series).map(\.id) {
                if var status = await series[id]?.status {
                    status.isCreated = isCreated(id)
                    statuses.append(status)
                }
            }
            let now = PipelineClock.system.now
            let sessionHealth = await sessions.health
            let cameras = configuration.cameras.map { camera in
                let own = statuses.filter { $0.camera == camera.id }
                let snap = snaps[camera.id]
                let health = CameraHealth.worst(
                    of: own.map(\.health) + [snap?.health, sessionHealth[camera.id]].compactMap { $0 }
                        + streams.health(of: camera.id))
                let stills = own.compactMap(\.last) + [snap?.last].compactMap { $0 }
                return CameraStatus(
                    id: camera.id, source: camera.sourceName, series: camera.series.map(\.id), health: health,
                    words: health.words(at: now), last: stills.max { $0.slot.due < $1.slot.due })
            }
            return ServiceStatus(cameras: cameras, series: statuses, start: start, lastEvent: lastEvent)
        }
    }

    /// The configured series with the IDs of their cameras.
    public var allSeries: [(camera: String, series: ServiceSeries)] {
        configuration.cameras.flatMap { camera in camera.series.map { (camera.id, $0) } }
    }

    /// The configured series, and for each camera with an output its requested pictures as a series with its ID.
    public var allPictures: [(camera: String, series: ServiceSeries)] {
        allSeries + configuration.cameras.compactMap { camera in camera.requested.map { (camera.id, $0) } }
    }

    /// Runs `body` as a job of the service: it is canceled when the service has stopped its series.
    public func perform(_ body: @escaping @Sendable () async -> Void) { jobs.add(body) }

    private func add(_ camera: ServiceCamera) {
        let source = sources[camera.id] ?? CameraSource(camera.settings)
        sources[camera.id] = source
        for configured in camera.series where series[configured.id] == nil {
            let job = SeriesJob(configured, of: camera.id, source, surroundings)
            series[configured.id] = job
            jobs.add { await job.run() }
        }
    }

    private var surroundings: SeriesJob.Surroundings {
        SeriesJob.Surroundings(
            hub: hub, rasterizer: rasterizer, emit: { [broadcast] in broadcast.emit($0) },
            giveUp: { [weak self] error in await self?.giveUp(error) }, retryDelay: retryDelay, observer: observer)
    }

    /// Ends the service because a driver hangs. The job that calls this must return before the service stops.
    private func giveUp(_ error: CaptureError) async {
        failure = failure ?? error
        guard !isStopping else { return }
        jobs.add { [self] in await stop() }
    }
}

// MARK: - Requests

extension CaptureService {
    /// Captures a picture with the settings of a camera, on the pipeline that its series share. Returns it with its
    /// bytes; nothing is stored. Waits for the camera; if the task is canceled, the picture is abandoned.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such camera, `.temporary` if the service is stopping, `.limit` if
    ///   the camera has ``mostSnaps`` requests, and the errors of a capture.
    public func snap(_ id: String) async throws(CaptureError) -> Still {
        try await snap(id, PictureRequest())
    }

    /// Captures one picture after the delay of a request, as ``snap(_:)`` does.
    public func snap(_ id: String, _ request: PictureRequest) async throws(CaptureError) -> Still {
        let (stills, failure) = try await capture(request, with: id) { still in (still, nil) }
        guard let still = stills.last else { throw failure ?? .canceledRequest(id) }
        return still
    }

    /// Captures pictures with the settings of a camera, as ``snap(_:)`` does.
    ///
    /// - Parameter store: Called with each picture and its bytes. Returns a result, and the ID of a stored picture. If
    ///   it throws, the capture ends.
    /// - Returns: The results of `store`, and the error that ended the capture early, if one did.
    /// - Throws: As ``snap(_:)``, if nothing was captured because of an error.
    func capture<Stored: Sendable>(
        _ request: PictureRequest, with id: String,
        _ store: @Sendable (Still) async throws(CaptureError) -> (Stored, StillID?)
    ) async throws(CaptureError) -> (stored: [Stored], failure: CaptureError?) {
        _ = try camera(id)
        try checkRunning()
        guard snaps[id, default: SnapState()].pending < Self.mostSnaps else {
            throw CaptureError(
                .limit, "already captures \(Self.mostSnaps) pictures", subject: id, advice: "try again later")
        }
        snaps[id, default: SnapState()].pending += 1
        defer { snaps[id]?.pending -= 1 }
        return try await searchingAgain(for: id) { () throws(CaptureError) in
            var configuration = try await configuration(of: id) { camera, found throws(CaptureError) in
                try camera.snap(found)
            }
            request.apply(to: &configuration)
            return try await capture(configuration, id, store)
        }
    }

    /// Ends the pending requests of a camera: their countdowns, and the rest of their bursts. Requests have the pictures
    /// that were captured already, or the error ``CaptureBase/CaptureError/canceledRequest(_:)``.
    ///
    /// - Returns: The number of requests.
    /// - Throws: `CaptureError` `.noInput` if there is no such camera.
    @discardableResult
    public func callOff(_ id: String) async throws(CaptureError) -> Int {
        _ = try camera(id)
        let controllers = snaps[id]?.controllers.values.map(\.self) ?? []
        for controller in controllers { await controller.cancel() }
        return controllers.count
    }

    /// Returns a camera of the configuration.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such camera.
    func camera(_ id: String) throws(CaptureError) -> ServiceCamera { try found(id).camera }

    /// Returns a camera of the configuration, and its search.
    private func found(_ id: String) throws(CaptureError) -> (camera: ServiceCamera, source: CameraSource) {
        guard let camera = configuration.cameras.first(where: { $0.id == id }), let source = sources[id] else {
            throw .unknown("camera", id)
        }
        return (camera, source)
    }

    /// Finds a camera, and makes a configuration of it on a thread that may block.
    private func configuration(
        of id: String,
        _ make: @escaping @Sendable (ServiceCamera, Camera?) throws(CaptureError) -> CaptureConfiguration
    ) async throws(CaptureError) -> CaptureConfiguration {
        let (camera, source) = try found(id)
        let found = try await source.camera()
        return try await BlockingWork.run { () throws(CaptureError) in try make(camera, found) }
    }

    /// Performs a step with a camera; if the camera is not there, the next step searches for it again.
    private func searchingAgain<Result: Sendable>(
        for id: String, _ step: () async throws(CaptureError) -> Result
    ) async throws(CaptureError) -> Result {
        let source = try found(id).source
        do throws(CaptureError) {
            return try await step()
        } catch {
            if error.code == .noCamera { await source.forget() }
            throw error
        }
    }

    private func checkRunning() throws(CaptureError) {
        guard !isStopping else { throw CaptureError(.temporary, "the service is stopping") }
    }

    private func capture<Stored: Sendable>(
        _ configuration: CaptureConfiguration, _ id: String,
        _ store: @Sendable (Still) async throws(CaptureError) -> (Stored, StillID?)
    ) async throws(CaptureError) -> (stored: [Stored], failure: CaptureError?) {
        let controller = CaptureController(configuration, hub: hub, rasterizer: rasterizer)
        let key = ObjectIdentifier(controller)
        snaps[id]?.controllers[key] = controller
        defer { snaps[id]?.controllers[key] = nil }
        async let summary = controller.run()
        var (stored, failure): ([Stored], CaptureError?) = ([], nil)
        for await event in controller.events {
            var name: StillID?
            if case .captured(let still) = event {
                snaps[id]?.last = still
                do throws(CaptureError) {
                    if failure == nil {
                        let (result, id) = try await store(still)
                        stored.append(result)
                        name = id
                    }
                } catch {
                    failure = error
                    await controller.cancel()
                }
            }
            observer?.record(event, camera: id, series: nil)
            snaps[id]?.health.record(event, at: PipelineClock.system.now)
            if let event = ServiceEvent(event, camera: id, series: nil, still: name?.description) {
                broadcast.emit(event)
            }
        }
        let outcome = await summary
        if case .failed(let error) = outcome.ending { failure = failure ?? error }
        failure = failure ?? outcome.firstFailure
        if stored.isEmpty, let failure { throw failure }
        return (stored, failure)
    }

    /// Reads or changes the controls of a camera, also while jobs use it.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such camera, `.noCamera` if it is not connected, `.usage` for
    ///   an unknown control or a wrong value, and the errors of the driver.
    public func controls(of id: String, _ request: ControlRequest) async throws(CaptureError) -> ControlState {
        try await searchingAgain(for: id) { () throws(CaptureError) in
            try await controls.perform(request, on: try await connected(id))
        }
    }

    /// Returns the camera of an ID as it is connected now; the built-in scene for elements in its place.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such camera, `.noCamera` if it is not connected.
    public func connected(_ id: String) async throws(CaptureError) -> Camera {
        try await found(id).source.camera() ?? .scene
    }

    /// Gives an ID another camera of this machine, until the configuration is loaded again. Its series end after their
    /// current pictures, and continue with the other camera.
    ///
    /// - Parameter device: The camera as a preset names it.
    /// - Throws: `CaptureError` `.noInput` if there is no such ID, `.noCamera` if there is no such camera, `.usage` if
    ///   several match.
    public func switchCamera(_ id: String, to device: String) async throws(CaptureError) {
        let earlier = try? await connected(id)
        let camera = try await CameraCatalog.find(device)
        await changes.take()
        defer { changes.end() }
        try checkRunning()
        _ = try found(id)
        var next = configuration
        next.use(camera.id, as: id)
        guard next != configuration else { return }
        if let earlier { await controls.forget(earlier) }
        await replace(with: next)
    }

    /// Joins the live pictures of a camera, on the pipeline that its series share. Returns at once; the viewer waits for
    /// the camera.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such camera, `.temporary` if the service is stopping, `.limit`
    ///   if there are ``StreamHub/mostViewers`` viewers or ``StreamHub/mostStreams`` different requests.
    public func view(_ id: String, _ request: StreamRequest) throws(CaptureError) -> StreamViewer {
        let (camera, source) = try found(id)
        try checkRunning()
        return try streams.join(request, of: id) {
            let stream = LiveStream(
                request, of: camera, source,
                LiveStream.Surroundings(
                    hub: hub, rasterizer: rasterizer, giveUp: { [weak self] error in await self?.giveUp(error) },
                    report: { [streams, broadcast] stream, event in
                        // One event for all viewers.
                        guard streams.isOldest(stream, of: id),
                            let event = ServiceEvent(event, camera: id, series: nil)
                        else { return }
                        broadcast.emit(event)
                    }, observer: observer))
            jobs.add { [streams, broadcast] in
                broadcast.emit(ServiceEvent("stream", camera: id, series: nil, ["state": .string("started")]))
                await stream.run()
                streams.remove(stream)
                broadcast.emit(ServiceEvent("stream", camera: id, series: nil, ["state": .string("ended")]))
            }
            return stream
        }
    }

    /// Opens a camera for another program of this machine. Waits until its picture is steady. The caller runs the loan, and
    /// closes it with ``close(_:)``.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such camera, `.noCamera` if it is not connected, `.temporary` if
    ///   the settings contradict a job that uses it or the service is stopping, `.limit` if there are too many loans.
    public func lend(_ id: String, _ settings: LoanSettings) async throws(CaptureError) -> FrameLoan {
        try checkRunning()
        let configuration = try await searchingAgain(for: id) { () throws(CaptureError) in
            try await self.configuration(of: id) { camera, found throws(CaptureError) in
                try settings.configuration(of: camera, found)
            }
        }
        let loan = try await loans.open(configuration, of: id, hub: hub)
        // Otherwise the stop, which came meanwhile, would not end it.
        if isStopping { loan.end(CaptureError(.noCamera, "the service has stopped", subject: "camera")) }
        return loan
    }

    /// Returns the loan with a name.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is none.
    package nonisolated func loan(_ id: String) throws(CaptureError) -> FrameLoan { try loans.loan(id) }

    /// Closes a loan.
    public nonisolated func close(_ loan: FrameLoan) async { await loans.close(loan) }

    /// The numbers of live streams, each of which has one encoder, and of their viewers.
    package nonisolated var streamCount: (streams: Int, viewers: Int) { streams.count }

    /// `true` if a camera stores the pictures that clients request.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such camera.
    public func storesPictures(_ id: String) throws(CaptureError) -> Bool { try camera(id).requested != nil }

    /// The media type of the pictures that ``snap(_:)`` returns for a camera.
    public func snapType(of id: String) -> String {
        let settings = configuration.cameras.first { $0.id == id }?.settings
        let format = settings?.encoding ?? settings?.output.flatMap(StillFormat.init(fileName:)) ?? .jpeg
        return StillRecord.mediaType(of: format)
    }

    /// Adds all series, including those that clients created when an earlier process ran. They begin with ``run()``. Call
    /// it once, before ``run()`` and before the first request of a client.
    ///
    /// - Returns: An error for each created series that cannot be read, or does not fit into the configuration; its file
    ///   stays.
    public func prepare() async -> [CaptureError] {
        var errors: [CaptureError] = []
        if let folder {
            let (found, unreadable) = await BlockingWork.run { folder.read() }
            let (next, unfit) = configuration.adding(found, in: folder.pictures)
            (created, configuration, errors) = (found, next, unreadable + unfit)
        }
        for camera in configuration.cameras { add(camera) }
        return errors
    }

    /// Creates a series, and starts it. It is durable on return: it continues when the service starts again.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such camera, `.cannotCreate` if its ID is in use or there are
    ///   ``mostCreatedSeries``, `.usage` if its settings do not fit together, `.temporary` if the service is stopping
    ///   or has no folder, and the errors of files.
    public func create(_ new: CreatedSeries) async throws(CaptureError) {
        await changes.take()
        defer { changes.end() }
        try checkRunning()
        guard let folder else {
            throw CaptureError(.temporary, "has no state folder", subject: "series", advice: "give one with --state")
        }
        guard created.count < Self.mostCreatedSeries else {
            throw CaptureError(
                .cannotCreate, "there are \(Self.mostCreatedSeries) already", subject: "series", advice: "delete one")
        }
        var next = configuration
        try next.add(new, in: folder.pictures)
        try await BlockingWork.run { () throws(CaptureError) in try folder.write(new) }
        created.removeAll { $0.id == new.id }
        created.append(new)
        configuration = next
        // A service that stops meanwhile runs the series at its next start.
        if !isStopping { add(try camera(new.camera)) }
    }

    /// Ends a series that a client created after its current picture, and forgets it. Its pictures stay, and appear
    /// again with a new series of this ID.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such series, `.usage` if it belongs to the configuration, and
    ///   the errors of files.
    public func remove(series id: String) async throws(CaptureError) {
        await changes.take()
        defer { changes.end() }
        try checkRunning()
        _ = try job(id)
        guard let folder, isCreated(id) else {
            throw CaptureError(
                .usage, "belongs to the configuration", subject: id.quoted,
                advice: "stop it, or remove it from the file")
        }
        try await BlockingWork.run { () throws(CaptureError) in try folder.remove(id) }
        created.removeAll { $0.id == id }
        await end([id])
        configuration.remove(series: id)
    }

    private func isCreated(_ id: String) -> Bool {
        let camera = configuration.cameras.first { $0.series.contains { $0.id == id } }
        return created.contains { $0.id == id && $0.camera == camera?.id }
    }

    /// Captures one picture of a series besides its slots. Returns before the picture.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such series, `.usage` if it does not run.
    public func trigger(_ id: String) async throws(CaptureError) { try await job(id).trigger() }

    /// Pauses a series after its current picture. Slots that pass until it is resumed are missed.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such series.
    public func pause(_ id: String) async throws(CaptureError) { try await job(id).pause() }

    /// Resumes a series that is paused or stopped, or retries it at once if a fault keeps it from running.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such series.
    public func resume(_ id: String) async throws(CaptureError) { try await job(id).resume() }

    /// Stops a series after its current picture, until it is resumed or the service starts again.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such series.
    public func stop(_ id: String) async throws(CaptureError) { try await job(id).stop() }

    private func job(_ id: String) throws(CaptureError) -> SeriesJob {
        guard let job = series[id] else { throw .unknown("series", id) }
        return job
    }
}

// MARK: - Sessions

extension CaptureService {
    /// The configured sessions.
    public var allSessions: [ServiceSession] { configuration.sessions }

    /// Returns a session, and its state if it is running.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such session.
    public func session(_ id: String) async throws(CaptureError) -> (session: ServiceSession, state: SessionRunState?) {
        (try configured(id), await sessions[id]?.state)
    }

    /// Starts a session, or resumes one of its runs. Returns when its cameras are known; it opens them afterward.
    ///
    /// A session without a trigger is canceled after the time of its `idle`.
    ///
    /// - Parameters:
    ///   - run: The ID of the run to resume; `nil` for a new one.
    ///   - isKiosk: `true` for strangers: the run always has a limit of idle time.
    ///   - usesCamera: `false` to open no camera: all pictures are brought in.
    /// - Throws: `SessionRefusal` if the session is running already, or the run is over; `CaptureError` `.noInput` if
    ///   there is no such session or run, `.temporary` if another process runs it or the service is stopping, and
    ///   `.noCamera`.
    public func startSession(
        _ id: String, resuming run: String? = nil, forKiosk isKiosk: Bool = false, usingCamera usesCamera: Bool = true
    ) async throws -> SessionRunState? {
        let session = try configured(id)
        try checkRunning()
        // A run that is over only closes its cameras.
        if let job = sessions[id], await job.isOver { await job.ended() }
        guard sessions.reserve(id) else {
            throw SessionRefusal(
                reason: "already-running", explanation: "the session is running: end it, or use its requests")
        }
        do {
            let source = try await BlockingWork.run { () throws(CaptureError) in try session.source(run) }
            guard let (file, output) = source else {
                throw SessionRefusal(reason: "over", explanation: "the run is over: start a new one")
            }
            var cameras: [CameraRole: CaptureConfiguration] = [:]
            for (role, id) in usesCamera ? session.cameras : [:] {
                cameras[role] = try await searchingAgain(for: id) { () throws(CaptureError) in
                    try await self.configuration(of: id) { camera, found throws(CaptureError) in
                        try camera.session(found)
                    }
                }
            }
            // A job that is added after the stop would never run.
            try checkRunning()
            var configuration = SessionConfiguration(cameras: cameras, output: output)
            configuration.endsUnbegun = true
            if isKiosk, file.session.idle == nil { configuration.idle = ServiceSession.kioskIdle }
            return await start(session, file, configuration, forKiosk: isKiosk)
        } catch {
            sessions.remove(id)
            throw error
        }
    }

    /// Performs a request of a session that is running.
    ///
    /// - Returns: The state after the request; `nil` if the session has ended.
    /// - Throws: `SessionRefusal` if the session is not running, or refuses the request in its present phase;
    ///   `CaptureError` `.noInput` if there is no such session.
    package func request(_ action: SessionRequest.Action, of id: String) async throws -> SessionRunState? {
        _ = try configured(id)
        guard let job = sessions[id] else {
            throw SessionRefusal(reason: "not-running", explanation: "the session is not running: start it first")
        }
        if let refusal = await job.perform(action) { throw refusal }
        return await job.state
    }

    private func configured(_ id: String) throws(CaptureError) -> ServiceSession {
        guard let session = configuration.sessions.first(where: { $0.id == id }) else { throw .unknown("session", id) }
        return session
    }

    private func start(
        _ session: ServiceSession, _ file: SessionFile, _ configuration: SessionConfiguration, forKiosk isKiosk: Bool
    ) async -> SessionRunState? {
        var configuration = configuration
        configuration.definition = file
        let job = SessionJob(session, file, configuration, hub: hub, rasterizer, analytics) { [broadcast] in
            broadcast.emit($0)
        }
        sessions.add(job)
        jobs.add { [self] in
            let (outcome, end) = await job.run()
            await free(job.session.id, end)
            await job.close()
            // A disk that hangs keeps only this task.
            if isKiosk, !file.session.keepsAborted { await discard(outcome, wasLeft: await job.wasLeftByService) }
            await follow(outcome)
        }
        return await job.state
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
        } catch {
            broadcast.emit(.notRemoved(error))
        }
    }

    /// Gives the place of a session back, and reports its end. A client may start the session again at this event, and the
    /// events of the next run follow it: nothing suspends between both.
    private func free(_ id: String, _ end: ServiceEvent?) {
        sessions.remove(id)
        if let end { broadcast.emit(end) }
    }

    /// Has the pictures of a run removed in time, and ends the service if a driver hangs.
    private func follow(_ outcome: SessionOutcome) async {
        if let folder = outcome.folder { await retention.watch(run: folder) }
        if case .failed(let error) = outcome.ending, error.code == .wedged { await giveUp(error) }
    }
}

extension ServiceEvent {
    /// The notice that the pictures of a run could not be removed.
    fileprivate static func notRemoved(_ error: CaptureError) -> ServiceEvent {
        ServiceEvent("notice", camera: nil, series: nil, Notice(.pictureNotRemoved, error).members)
    }
}

extension CaptureError {
    /// Creates the error of an ID that the service does not have.
    package static func unknown(_ kind: String, _ id: String) -> CaptureError {
        CaptureError(.noInput, "there is no such \(kind)", subject: id.quoted)
    }
}
