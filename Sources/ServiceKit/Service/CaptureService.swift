// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import OverlayCompositor
import SessionKit
import StillKit

/// Owns cameras, runs their series, captures single pictures, records clips, and runs guided sessions on request. It knows no
/// HTTP.
///
/// All jobs share one `CameraHub`. Each series resumes from its ledger, and is retried after a fault. Any task may call
/// a service; a call waits for no camera unless its comment says so.
///
///     let service = CaptureService(configuration)
///     Task { for await event in service.listen() { print(event.number, event.event.kind) } }
///     let failure = await service.run()  // meanwhile: await service.snap("garden"), pause("minute"), stop() …
///
/// A request with an ID that the configuration does not have throws `CaptureError` `.noInput`, and each request throws
/// `.temporary` while the service stops.
public actor CaptureService {
    /// Distinguishes the events of this service from those of an earlier process, whose numbers also begin with 1.
    public nonisolated let epoch: String

    private nonisolated let broadcast = EventBroadcast<ServiceEvent>(keeping: CaptureService.keptEvents)
    private nonisolated let parts: ServiceParts
    private let start = WallTime.now()
    private let tasks = TaskScope()
    private let desks: CameraDesks
    private let sessions: SessionDesk
    private let retention: SessionRetention
    /// Errors of drivers that hang.
    private let failures: AsyncStream<CaptureError>
    private var failure: CaptureError?
    private var isStopping = false

    /// The maximum number of single pictures of a camera that are captured at the same time.
    public static let mostSnaps = CameraDesk.mostSnaps
    /// The maximum number of series that clients have created.
    public static let mostCreatedSeries = CreatedSeriesList.most
    /// How many events are kept for listeners that continue.
    public static let keptEvents = 10_000

    /// Creates a service; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - rasterizer: Draws the layers of `burn-in`; `nil` if there is none.
    ///   - retryDelay: The pause before the first retry after a fault; it doubles up to a minute.
    ///   - patience: How long a change of the configuration waits for jobs to end.
    ///   - observer: Receives the events of all jobs; `nil` if there is none.
    ///   - analytics: Receives the product events of sessions; `nil` for none.
    ///   - state: The folder of the series that clients create; `nil` if they cannot create any.
    ///   - removals: Tells when runs have to be removed. Without it, each start reads the records of all runs.
    public init(
        _ configuration: ServiceConfiguration, rasterizer: (any Rasterizer)? = nil, retryDelay: Duration = .seconds(1),
        patience: Duration = .seconds(10), observer: (any ServiceObserver)? = nil,
        analytics: (any ProductEventSink)? = nil, state: String? = nil,
        removals: @escaping RunRemovals = { _, _ in nil }
    ) {
        self.init(
            configuration, rasterizer: rasterizer, retryDelay: retryDelay, patience: patience, observer: observer,
            analytics: analytics, state: state, removals: removals, outbox: nil)
    }

    /// Creates a service with an outbox, which sends the pictures of its series.
    package init(
        _ configuration: ServiceConfiguration, rasterizer: (any Rasterizer)? = nil, retryDelay: Duration = .seconds(1),
        patience: Duration = .seconds(10), observer: (any ServiceObserver)? = nil,
        analytics: (any ProductEventSink)? = nil, state: String? = nil,
        removals: @escaping RunRemovals = { _, _ in nil }, outbox: SentPicturesSource?
    ) {
        let (failures, inlet) = AsyncStream<CaptureError>.makeStream()
        let hub = CameraHub()
        parts = ServiceParts(
            hub: hub, controls: ControlChanges(hub), memory: PictureMemory(), rasterizer: rasterizer,
            emit: { [broadcast] in broadcast.emit($0) }, giveUp: { inlet.yield($0) }, retryDelay: retryDelay,
            observer: observer, outbox: outbox)
        self.failures = failures
        retention = SessionRetention(
            find: removals, isRemoved: { [broadcast] in broadcast.emit(.expired($0)) },
            report: { [broadcast] in broadcast.emit(.notRemoved($0)) })
        sessions = SessionDesk(parts, analytics, retention, tasks: tasks)
        desks = CameraDesks(configuration, parts, sessions, tasks: tasks, patience: patience, state: state)
        epoch = String(start.millisecondsSince1970, radix: 36)
    }

    /// Adds all series, including those that clients created when an earlier process ran. They begin with ``run()``. Call
    /// it once, before ``run()`` and before the first request of a client.
    ///
    /// - Returns: An error for each created series that cannot be read, or does not fit into the configuration; its file
    ///   stays.
    public func prepare() async -> [CaptureError] { await desks.prepare() }

    /// Runs all series. Returns after ``stop()``, when their last pictures are safe; the result is the error that ended
    /// the service, if one did. If the task is canceled, pictures that are being captured are abandoned. Call it once.
    public func run() async -> CaptureError? {
        await desks.begin()
        await watchRuns()
        tasks.add { [self, failures] in for await error in failures { await stop(because: error) } }
        await tasks.run()
        await retention.close()
        broadcast.finish()
        return failure
    }

    private func watchRuns() async {
        let folders = Set(await allSessions.map(\.output))
        tasks.add { [retention, lastEvent] in await retention.watch(folders, after: lastEvent) }
    }

    /// Stops the service after the current picture of each series and request, finishes its clips, and leaves its sessions.
    /// Returns when the pictures and the clips are safe.
    public func stop() async {
        isStopping = true
        // Ends all jobs before it waits for any of them, because each can hang.
        let jobs = await sessions.end(because: .isStopping) + desks.end(because: .isStopping)
        await jobs.wait()
        tasks.end()
    }

    /// Ends the service because a driver hangs.
    private func stop(because error: CaptureError) async {
        failure = failure ?? error
        if !isStopping { await stop() }
    }

    /// Runs `body` as a job of the service: it is canceled when the service has stopped its series.
    public func perform(_ body: @escaping @Sendable () async -> Void) { tasks.add(body) }

    /// Replaces the configuration. Series that did not change continue undisturbed; a series that changed, or whose
    /// camera did, ends after its current picture and begins again with its new settings; such a session is left, and
    /// requests of such a camera end after their current pictures, and its recording is finished. The addresses stay. Series
    /// that clients created are kept.
    ///
    /// - Returns: An error for each created series that does not fit into the new configuration, when the jobs that
    ///   ended have ended. A job that hangs is not waited for: the one that replaces it begins after it.
    @discardableResult
    public func reload(_ next: ServiceConfiguration) async -> [CaptureError] {
        let errors = await desks.reload(next)
        await watchRuns()
        return errors
    }

    /// Returns the events of all jobs with their numbers, for any number of listeners.
    ///
    /// - Parameters:
    ///   - number: The last event that the listener knows: those after it follow, as far as ``keptEvents`` contain them.
    ///     `nil` for the events from now on.
    ///   - capacity: How many events the listener may be behind before it loses the oldest.
    public nonisolated func listen(
        after number: Int? = nil, buffering capacity: Int = 10_000
    ) -> AsyncStream<NumberedEvent<ServiceEvent>> {
        broadcast.listen(after: number, buffering: capacity)
    }

    /// Emits an event of a part of the service that is not below it, such as its records.
    package nonisolated func emit(_ event: ServiceEvent) { broadcast.emit(event) }

    /// The number of the last event; 0 before the first.
    package nonisolated var lastEvent: Int { broadcast.lastNumber }

    /// `true` if all events after a number are kept.
    package nonisolated func keepsEvents(after number: Int) -> Bool { broadcast.keepsEvents(after: number) }

    /// Returns the oldest kept events after a number, for a listener that reads them in its own time.
    package nonisolated func events(after number: Int, most: Int) -> [NumberedEvent<ServiceEvent>] {
        broadcast.events(after: number, most: most)
    }
}

// MARK: - State

extension CaptureService {
    /// The state of the service.
    public var status: ServiceStatus {
        get async {
            // Events that come meanwhile are repeated to a listener that continues from this number; none is lost.
            let lastEvent = lastEvent
            let (cameras, series) = await desks.statuses(with: await sessions.health, await sessions.clips)
            return ServiceStatus(
                cameras: cameras, series: series, start: start, lastEvent: lastEvent,
                analyticsFault: sessions.analyticsFault)
        }
    }

    /// The configured series with the IDs of their cameras.
    public var allSeries: [(camera: String, series: ServiceSeries)] {
        get async { await desks.configuration.allSeries }
    }

    /// The configured series, and for each camera with an output its requested pictures as a series with its ID.
    public var allPictures: [(camera: String, series: ServiceSeries)] {
        get async { await desks.configuration.allPictures }
    }

    /// Returns a configured series, or the requested pictures of a camera.
    ///
    /// - Throws: `CaptureError` `.noInput` if no series and no camera with an output has this ID.
    package func pictures(of id: String) async throws(CaptureError) -> ServiceSeries {
        guard let found = await allPictures.first(where: { $0.series.id == id }) else { throw .unknown("series", id) }
        return found.series
    }

    /// A list of clips, or of films.
    package struct ClipList: Sendable, Hashable {
        package let owner: ClipOwner
        /// The ID of the camera.
        package let camera: String
        /// The path of the list.
        package let path: String
        /// The folder below which the clips are.
        package let folder: String
    }

    /// The lists of clips of all cameras, and of the films of their series.
    package var clipLists: [ClipList] {
        get async {
            await desks.configuration.cameras.flatMap { camera in
                let clips = camera.clips.map { clips in
                    ClipList(
                        owner: .camera(camera.id), camera: camera.id, path: clips.account, folder: clips.folder)
                }
                // The configuration has been checked.
                let films = camera.series.compactMap { series in
                    (try? series.films()).map { films in
                        ClipList(
                            owner: .series(series.id), camera: camera.id, path: films.list, folder: films.folder)
                    }
                }
                return [clips].compactMap { $0 } + films
            }
        }
    }

    /// The configured sessions.
    public var allSessions: [ServiceSession] { get async { await desks.configuration.sessions } }

    /// The numbers of live streams, each of which has one encoder, and of their viewers.
    package nonisolated var streamCount: (streams: Int, viewers: Int) { parts.streams.count }
}

// MARK: - Cameras, series and sessions

extension CaptureService {
    /// Returns the desk of a camera.
    func desk(_ id: String) async throws(CaptureError) -> CameraDesk { try await desks.desk(id) }

    /// Returns a series that runs.
    func series(_ id: String) async throws(CaptureError) -> SeriesJob { try await desks.series(id) }

    /// Gives an ID another camera of this machine, until the configuration is loaded again. Its series end after their
    /// current pictures, and continue with the other camera.
    ///
    /// - Parameter device: The camera as a preset names it.
    /// - Throws: `CaptureError` `.noCamera` if there is no such camera, `.usage` if several match.
    public func switchCamera(_ id: String, to device: String) async throws(CaptureError) {
        let earlier = try? await connected(id)
        try await desks.use(CameraCatalog.find(device), as: id, insteadOf: earlier)
    }

    /// Returns the loan with a name.
    package nonisolated func loan(_ id: String) throws(CaptureError) -> FrameLoan { try parts.loans.loan(id) }

    /// Closes a loan.
    public nonisolated func close(_ loan: FrameLoan) async { await parts.loans.close(loan) }

    /// Creates a series, and starts it. It is durable on return: it continues when the service starts again.
    ///
    /// - Throws: `CaptureError` `.cannotCreate` if its ID is in use or there are ``mostCreatedSeries``, `.usage` if its
    ///   settings do not fit together, `.temporary` without a folder, and the errors of files.
    public func create(_ new: CreatedSeries) async throws(CaptureError) { try await desks.create(new) }

    /// Ends a series that a client created after its current picture, and forgets it. Its pictures stay, and appear
    /// again with a new series of this ID.
    ///
    /// - Throws: `CaptureError` `.usage` if it belongs to the configuration, and the errors of files.
    public func remove(series id: String) async throws(CaptureError) { try await desks.remove(series: id) }

    /// Returns a session, and its state if it is running.
    public func session(_ id: String) async throws(CaptureError) -> (session: ServiceSession, state: SessionRunState?) {
        (try await desks.session(id), await sessions.state(of: id))
    }

    /// Starts a session, or resumes one of its runs. Returns when its cameras are known; it opens them afterward.
    ///
    /// - Parameters:
    ///   - run: The ID of the run to resume; `nil` for a new one.
    ///   - isKiosk: `true` for strangers: the run always has a limit of idle time.
    ///   - usesCamera: `false` to open no camera: all pictures are brought in.
    /// - Throws: `SessionRefusal` if the session is running already, or the run is over; `CaptureError` `.temporary` if
    ///   another process runs it, and `.noCamera`.
    public func startSession(
        _ id: String, resuming run: String? = nil, forKiosk isKiosk: Bool = false, usingCamera usesCamera: Bool = true
    ) async throws -> SessionRunState? {
        let (session, cameras, storage) = try await desks.cameras(ofSession: id)
        return try await sessions.start(
            session, resuming: run, forKiosk: isKiosk, cameras: usesCamera ? cameras : [:], storage: storage
        ) { await desks.configuration.sessions.contains(session) }
    }

    /// Performs a request of a session that is running. Returns the state after it; `nil` if the session has ended.
    ///
    /// - Throws: `SessionRefusal` if the session is not running, or refuses the request in its present phase.
    package func request(_ action: SessionRequest.Action, of id: String) async throws -> SessionRunState? {
        try await sessions.perform(action, of: desks.session(id).id)
    }
}
