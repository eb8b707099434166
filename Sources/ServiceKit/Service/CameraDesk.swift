// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import ClipKit
import ClipStore
import PipelineKit
import SessionKit
import StillKit

/// A camera of the configuration with all that belongs to it: its search, series, clips, requested pictures, live streams
/// and loans.
///
/// ``end(because:)`` ends all of them, also those that are just starting, and ``completion`` tells when they have ended.
/// A configuration that gives the camera other settings replaces the desk; other series are a change of the desk.
actor CameraDesk {
    /// The ID of the camera.
    nonisolated let id: String
    /// Completes when everything has ended, and the camera and the files are free.
    nonisolated let completion = Completion()

    /// Records the clips; `nil` if the camera records none.
    nonisolated let clips: ClipJob?

    private let parts: ServiceParts
    private let source: CameraSource
    /// Jobs with earlier settings of the camera, or with files of its series. They have to end before those of the desk
    /// begin.
    private let earlier: [Completion]
    private let tasks: AsyncStream<TaskScope.Job>
    private let inlet: AsyncStream<TaskScope.Job>.Continuation
    private var camera: ServiceCamera
    private var series: [String: SeriesJob] = [:]
    /// Series that have been replaced or removed, and still store their last pictures.
    private var endingSeries: [String: Completion] = [:]
    private var snaps: [ObjectIdentifier: SnapJob] = [:]
    private var pictures: CameraPictures?
    /// Work that the end of the desk waits for.
    private var uses: [Completion] = []
    /// The last requested picture.
    private var last: Still?
    /// The error of requests after the end.
    private var reason: CaptureError?

    /// The maximum number of requests for pictures at the same time.
    static let mostSnaps = 4

    /// Creates the desk of a camera. Its series begin with ``run()``.
    ///
    /// - Parameter earlier: The jobs that have to end before those of the desk begin.
    init(_ camera: ServiceCamera, _ parts: ServiceParts, after earlier: [Completion] = []) {
        (id, self.camera, self.parts, self.earlier) = (camera.id, camera, parts, earlier)
        source = CameraSource(camera.settings)
        (tasks, inlet) = AsyncStream.makeStream()
        clips = camera.clips.map { [source] in ClipJob($0, of: camera.id, source, parts, after: earlier) }
        if let clips { inlet.yield { await clips.run() } }
    }

    /// Runs the jobs until ``end(because:)``. Returns when all of them have ended. If the task is canceled, pictures that
    /// are being captured are abandoned. Call it once.
    func run() async {
        await CameraPictures.completeRemovals(of: camera)
        await withDiscardingTaskGroup { group in for await job in tasks { group.addTask { await job() } } }
        await uses.wait()
        await parts.loans.close(of: key)
        await pictures?.close()
        await earlier.wait()
        completion.complete()
    }

    /// Ends everything after the current pictures. Returns at once; requests are refused from now on.
    func end(because error: CaptureError) async {
        guard reason == nil else { return }
        reason = error
        inlet.finish()
        parts.streams.end(of: key)
        parts.loans.end(of: key, CaptureError(.noCamera, error.message, subject: id))
        await clips?.end(because: error)
        for job in series.values { await job.end() }
        for job in snaps.values { await job.end(because: error) }
    }

    /// The key of the desk's streams and loans in the tables of the service.
    private var key: ObjectIdentifier { ObjectIdentifier(self) }

    private func checkOpen() throws(CaptureError) {
        if let reason { throw reason }
        try earlier.checkEnded(of: id)
    }

    /// Performs work that the end of the desk waits for.
    private func using<Result: Sendable>(
        _ work: () async throws(CaptureError) -> Result
    ) async throws(CaptureError) -> Result {
        try checkOpen()
        let use = Completion()
        uses.append(use)
        defer {
            use.complete()
            uses.removeAll { $0 === use }
        }
        return try await work()
    }
}

// MARK: - The camera

extension CameraDesk {
    /// The state of the camera and of its series.
    ///
    /// - Parameters:
    ///   - session: The state of the camera, as sessions see it; `nil` if none uses it.
    ///   - clip: The clip that a session records; `nil` if none does.
    func status(
        with session: CameraHealth?, _ clip: ClipStatus.SessionClip?
    ) async -> (camera: CameraStatus, series: [SeriesStatus]) {
        var statuses: [SeriesStatus] = []
        for id in camera.series.map(\.id) {
            if let status = await series[id]?.status { statuses.append(status) }
        }
        var states = statuses.map(\.health) + [session].compactMap { $0 }
        for job in snaps.values { states.append(await job.health) }
        if let clips { states.append(await clips.health) }
        let health = CameraHealth.worst(of: states + parts.streams.health(of: key))
        let stills = statuses.compactMap(\.last) + [last].compactMap { $0 }
        let camera = CameraStatus(
            id: id, title: camera.title ?? id, source: camera.sourceName, series: camera.series.map(\.id),
            health: health, words: health.words(at: PipelineClock.system.now),
            last: stills.max { $0.slot.due < $1.slot.due }, storageFault: pictures?.fault,
            recording: ClipStatus.joining(await clips?.status, clip, at: .now()), keptFrames: await keptFrames)
        return (camera, statuses)
    }

    private var keptFrames: KeptFrames? {
        get async {
            var counts = parts.streams.keptBytes(of: key)
            for job in series.values { if let count = await job.keptBytes { counts.append(count) } }
            guard !counts.isEmpty else { return nil }
            return KeptFrames(byteCount: counts.reduce(0, +), limit: counts.count * LiveMotion.memoryLimit)
        }
    }

    /// Returns the camera as it is connected now; the built-in scene for elements in its place.
    ///
    /// - Throws: `CaptureError` `.noCamera` if it is not connected.
    func connected() async throws(CaptureError) -> Camera { try await source.camera() ?? .scene }

    /// Reads or changes the controls; see ``CaptureService/controls(of:_:)``.
    func controls(_ request: ControlRequest) async throws(CaptureError) -> ControlState {
        try await searchingAgain { () throws(CaptureError) in
            try await parts.controls.perform(request, on: try await connected())
        }
    }

    /// Returns the configuration of the camera for a session.
    ///
    /// - Throws: `CaptureError` `.noCamera` if the camera is not connected, and `.temporary` if the desk ends.
    func sessionConfiguration() async throws(CaptureError) -> CaptureConfiguration {
        try checkOpen()
        let configuration = try await searchingAgain { () throws(CaptureError) in
            try await self.configuration { camera, found throws(CaptureError) in try camera.session(found) }
        }
        try checkOpen()
        return configuration
    }

    /// Finds the camera, and makes a configuration of it on a thread that may block.
    private func configuration(
        _ make: @escaping @Sendable (ServiceCamera, Camera?) throws(CaptureError) -> CaptureConfiguration
    ) async throws(CaptureError) -> CaptureConfiguration {
        let (camera, found) = (camera, try await source.camera())
        return try await BlockingWork.run { () throws(CaptureError) in try make(camera, found) }
    }

    /// Performs a step with the camera; if it is not there, the next step searches for it again.
    private func searchingAgain<Result: Sendable>(
        _ step: () async throws(CaptureError) -> Result
    ) async throws(CaptureError) -> Result {
        do throws(CaptureError) {
            return try await step()
        } catch {
            if error.code == .noCamera { await source.forget() }
            throw error
        }
    }
}

// MARK: - Series

extension CameraDesk {
    /// Starts the series that the camera has and that do not run yet.
    func startSeries() {
        guard reason == nil else { return }
        for configured in camera.series where series[configured.id] == nil {
            let ending = [endingSeries.removeValue(forKey: configured.id)].compactMap { $0 }
            let job = SeriesJob(configured, of: id, source, parts, after: earlier + ending)
            series[configured.id] = job
            inlet.yield { await job.run() }
        }
    }

    /// Returns a series; `nil` if the camera has none with this ID.
    func series(_ id: String) -> SeriesJob? { series[id] }

    /// Takes other series, and ends those that are not among them after their current pictures. Returns at once;
    /// ``startSeries()`` starts the others.
    ///
    /// - Parameter next: The camera, whose settings differ only in those that series use.
    /// - Returns: The completions of the series that end.
    func use(_ next: ServiceCamera) async -> [Completion] {
        let removed = camera.series.filter { !next.series.contains($0) }
        camera = next
        var completions: [Completion] = []
        for series in removed {
            guard let job = self.series.removeValue(forKey: series.id) else { continue }
            endingSeries[series.id] = job.completion
            completions.append(job.completion)
            await job.end()
        }
        return completions
    }
}

// MARK: - Requested pictures

extension CameraDesk {
    /// Captures pictures with the camera's settings. If the task is canceled, pictures that are not captured yet are
    /// abandoned.
    ///
    /// - Parameter store: Called with each picture and its bytes, and with its movie for a live photo. Returns a result,
    ///   and the ID of a stored picture. If it throws, the capture ends.
    /// - Returns: The results of `store`, and the error that ended the capture early, if one did.
    /// - Throws: `CaptureError` `.temporary` if the desk ends, `.limit` if there are ``mostSnaps`` requests or too many
    ///   pictures wait to be stored, and the errors of a capture, if nothing was captured.
    func capture<Stored: Sendable>(
        _ request: PictureRequest,
        _ store: @Sendable (Still, RequestedMovie?) async throws(CaptureError) -> (Stored, StillID?)
    ) async throws(CaptureError) -> (stored: [Stored], failure: CaptureError?) {
        try await using { () throws(CaptureError) in
            guard snaps.count < Self.mostSnaps else {
                throw CaptureError(
                    .limit, "already captures \(Self.mostSnaps) pictures", subject: id, advice: "try again later")
            }
            let job = SnapJob(of: id, parts)
            snaps[ObjectIdentifier(job)] = job
            defer { snaps[ObjectIdentifier(job)] = nil }
            return try await searchingAgain { () throws(CaptureError) in
                var configuration = try await self.configuration { camera, found throws(CaptureError) in
                    try camera.snap(found)
                }
                request.apply(to: &configuration)
                let earlier = try await earlierFrame(for: request, configuration)
                let movie = request.isLive ? try await movie(after: request.delay) : nil
                let result = try await job.run(configuration, from: earlier) { still throws(CaptureError) in
                    await keep(still)
                    return try await store(still, movie)
                }
                movie?.report(parts, camera: id)
                return result
            }
        }
    }

    /// Returns the frame from before a request; `nil` if the request is for a frame after it.
    ///
    /// - Throws: `CaptureError` `.usage` if the settings of the camera exclude the request, `.temporary` if the camera was
    ///   closed at that moment.
    private func earlierFrame(
        for request: PictureRequest, _ configuration: CaptureConfiguration
    ) async throws(CaptureError) -> Frame? {
        guard let moment = request.earlierMoment else { return nil }
        guard configuration.history > .zero else { throw .keepsNoFrames(id) }
        guard request.lead <= configuration.history else {
            let span = configuration.history.shortText
            throw CaptureError(
                .usage, "keeps the frames of \(span) before a request", subject: id,
                advice: "give at=-\(span) or less, or the camera a longer history")
        }
        guard configuration.flash == .off else {
            throw CaptureError(
                .usage, "a frame from before the request was not lit by the flash", subject: id,
                advice: "leave out at, or the flash of the camera")
        }
        guard let frame = await parts.hub.keptFrame(of: configuration.source, nearestTo: moment) else {
            throw .hadNoFrame(id)
        }
        return frame
    }

    /// Waits until a live photo of the camera has its time before it.
    private func movie(after delay: Duration) async throws(CaptureError) -> RequestedMovie {
        guard requestedFormat == .jpeg else {
            throw CaptureError(
                .usage, "live photos are JPEG files", subject: id, advice: "give the camera an output with .jpg")
        }
        try await LiveMotion.prepare()
        let viewer = try keepMotion()
        return RequestedMovie(try await viewer.ready(), viewer, after: delay)
    }

    /// Captures pictures and stores them. They are durable on return.
    ///
    /// - Parameter plan: Records each picture durably before its file is created; see ``CameraPictures``.
    /// - Returns: The IDs of the pictures, and the camera's pictures as a series.
    /// - Throws: As ``capture(_:_:)``; `CaptureError` `.usage` if the camera has no output.
    func store(
        _ request: PictureRequest,
        plan: @escaping @Sendable (PlannedPicture, _ isAgain: Bool) async -> Void
    ) async throws(CaptureError) -> (ids: [StillID], series: ServiceSeries) {
        try checkOpen()
        let pictures = try openPictures()
        let (ids, _) = try await capture(request) { still, movie async throws(CaptureError) in
            guard let bytes = still.bytes else { throw CaptureError(.software, "the picture has no bytes") }
            let id = try await pictures.store(still, bytes, with: movie, plan: plan)
            return (id, id)
        }
        guard !ids.isEmpty else { throw .canceledRequest(id) }
        return (ids, pictures.series)
    }

    /// `true` if the camera stores the pictures that clients request.
    var storesPictures: Bool { camera.requested != nil }

    /// The format of the pictures.
    var requestedFormat: StillFormat { camera.requestedFormat }

    /// Ends the requests without their current pictures: their countdowns, and the rest of their bursts. Returns their
    /// number.
    func callOff() async -> Int {
        let jobs = Array(snaps.values)
        for job in jobs { await job.cancel(because: .canceledRequest(id)) }
        return jobs.count
    }

    /// Completes a picture of an earlier process.
    ///
    /// - Returns: The ID of the picture, and the camera's pictures as a series; `nil` if it was not stored, or if the
    ///   camera stores none.
    /// - Throws: As ``CameraPictures/recover(_:)``.
    func recover(_ picture: PlannedPicture) async throws(CaptureError) -> (id: StillID, series: ServiceSeries)? {
        guard camera.requested != nil else { return nil }
        return try await using { () throws(CaptureError) in
            let pictures = try openPictures()
            return try await pictures.recover(picture).map { ($0, pictures.series) }
        }
    }

    /// Removes a requested picture, with an event. The removal is durable on return.
    func remove(_ still: StillRecord) async throws(CaptureError) {
        try await using { () throws(CaptureError) in try await openPictures().remove(still) }
        parts.emit(ServiceEvent("removed", camera: id, series: nil, ["still": .string("\(still.id)")]))
    }

    private func openPictures() throws(CaptureError) -> CameraPictures {
        if let pictures { return pictures }
        let pictures = try CameraPictures(camera, outbox: parts.outbox) { [id, parts] notice in
            parts.emit(ServiceEvent("notice", camera: id, series: nil, notice.members))
        }
        self.pictures = pictures
        return pictures
    }

    private func keep(_ still: Still) { last = still }
}

// MARK: - Frames for others

extension CameraDesk {
    /// Joins the live pictures; see ``CaptureService/view(_:_:)``.
    func view(_ request: StreamRequest) throws(CaptureError) -> StreamViewer {
        try join(request) { LiveStream(request, of: $0, $1) }
    }

    /// Joins the live video; see ``CaptureService/watch(_:_:)``.
    func watch(_ request: VideoRequest) throws(CaptureError) -> VideoViewer {
        try join(request) { VideoStream(request, of: $0, $1) }
    }

    /// Has the newest frames kept for live photos; see ``CaptureService/keepFrames(_:)``.
    func keepMotion() throws(CaptureError) -> MotionViewer {
        try join(MotionStream.Request()) { MotionStream(of: $0, $1) }
    }

    /// Joins the stream of a request.
    ///
    /// - Parameter make: Creates the stream if there is none.
    private func join<Stream: SharedStream>(
        _ request: Stream.Request, _ make: (StreamCamera, StreamSurroundings) -> Stream
    ) throws(CaptureError) -> Stream.Viewer {
        try checkOpen()
        return try parts.streams.join(request, of: key) {
            let stream = make(StreamCamera(camera, source, parts.hub), surroundings)
            inlet.yield { [id, parts] in
                parts.emit(ServiceEvent("stream", camera: id, series: nil, ["state": .string("started")]))
                await stream.run()
                parts.streams.remove(stream)
                parts.emit(ServiceEvent("stream", camera: id, series: nil, ["state": .string("ended")]))
            }
            return stream
        }
    }

    private var surroundings: StreamSurroundings {
        let (id, key, parts) = (id, key, parts)
        return StreamSurroundings(
            rasterizer: parts.rasterizer, giveUp: parts.giveUp,
            report: { stream, event in
                // All streams have the same loss of the camera, but each its own notices.
                var isOwn = parts.streams.isOldest(stream, of: key)
                if case .notice = event { isOwn = true }
                guard isOwn, let event = ServiceEvent(event, camera: id, series: nil) else { return }
                parts.emit(event)
            }, observer: parts.observer)
    }

    /// Opens the camera for another program; see ``CaptureService/lend(_:_:)``.
    func lend(_ settings: LoanSettings) async throws(CaptureError) -> FrameLoan {
        try await using { () throws(CaptureError) in
            let configuration = try await searchingAgain { () throws(CaptureError) in
                try await self.configuration { camera, found throws(CaptureError) in
                    try settings.configuration(of: camera, found)
                }
            }
            if let reason { throw reason }
            do throws(CaptureError) {
                let loan = try await parts.loans.open(configuration, of: key, hub: parts.hub)
                guard let reason else { return loan }
                await parts.loans.close(loan)
                throw reason
            } catch {
                throw reason ?? error
            }
        }
    }
}

extension [Completion] {
    /// Checks that the jobs with earlier settings of a camera have ended.
    ///
    /// - Throws: `CaptureError` `.temporary` if not.
    func checkEnded(of camera: String) throws(CaptureError) {
        guard allSatisfy(\.isComplete) else {
            throw CaptureError(
                .temporary, "still ends jobs of its earlier settings", subject: camera, advice: "try again later")
        }
    }
}
