// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import ClipKit
import ClipList
import FilmStore
import LedgerKit
import OverlayCompositor
import PipelineKit
import ScheduleKit
import StillKit
import Synchronization

/// Runs a series of a service until ``end()``: resumes it from its ledger, retries it after a fault, and pauses, stops
/// and resumes it on request.
actor SeriesJob {
    /// The request that is in force.
    private enum Order {
        case run, pause, stop, end
    }

    /// Completes when ``run()`` has returned.
    nonisolated let completion = Completion()

    private let series: ServiceSeries
    private let camera: String
    private let source: CameraSource
    private let parts: ServiceParts
    /// Jobs that use the same files or the same camera, and have to end before this one begins.
    private let earlier: [Completion]
    /// The orders that ``run()`` has not followed yet.
    private let orders = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private var order = Order.run
    private var state = SeriesStatus.State.starting
    private var error: CaptureError?
    private var health = CameraHealth()
    /// Keeps frames for the live photos of a series that runs.
    private var motion: LiveMotion?
    private var summary = CaptureSummary()
    private var last: Still?
    private var lag = CaptureLag()
    private var storage: StorageReport?
    private var controller: CaptureController?
    /// The pictures that the last capture left.
    private var memory: SeriesMemory?
    private let pause: RetryPause
    /// Makes the films of the series; `nil` for none.
    nonisolated let films: DayFilms?
    /// The last complete film.
    private nonisolated let lastFilm: FilmBox
    private var hasBegun = false

    /// - Parameter earlier: The jobs that have to end before this one begins. It ends after them.
    init(
        _ series: ServiceSeries, of camera: String, _ source: CameraSource, _ parts: ServiceParts,
        after earlier: [Completion] = []
    ) {
        (self.series, self.camera, self.source, self.parts, self.earlier) = (series, camera, source, parts, earlier)
        pause = RetryPause(first: parts.retryDelay)
        // The configuration has been checked.
        let lastFilm = FilmBox()
        films = (try? series.films()).map { settings in
            DayFilms(settings, parts.rasterizer) { report in
                lastFilm.follow(report)
                parts.emit(ServiceEvent(report, camera: camera, series: series.id))
            }
        }
        self.lastFilm = lastFilm
    }

    /// Runs the series. Returns after ``end()``, when its last picture is safe; or soon after its task is canceled.
    func run() async {
        await withTaskGroup { group in
            group.addTask { await self.makeFilms() }
            await runSeries()
            await films?.finish(isComplete: false)
        }
        await earlier.wait()
        completion.complete()
    }

    private func makeFilms() async {
        guard let films else { return }
        await earlier.wait()
        lastFilm.begin(with: try? await films.folder.page(before: nil, limit: 1).first)
        await films.run()
    }

    private func runSeries() async {
        while order != .end, !Task.isCancelled {
            while order == .run, state != .completed, !Task.isCancelled { await capture() }
            rest()
            guard order != .end else { break }
            for await _ in orders.stream { break }
        }
    }

    /// Pauses the series after the current picture; has no effect if it is stopped or has ended by itself.
    func pause() async { if order == .run, state != .completed { await follow(.pause) } }

    /// Stops the series after the current picture.
    func stop() async { await follow(.stop) }

    /// Resumes a series that is paused, stopped or waits for a retry.
    func resume() async { await follow(.run) }

    /// Captures one picture besides the slots of the schedule.
    ///
    /// - Throws: `CaptureError` `.usage` if the series does not run.
    func trigger() async throws(CaptureError) {
        guard let controller, state == .running else {
            throw CaptureError(
                .usage, "does not run: it is \(state.rawValue)", subject: series.id.quoted, advice: "resume it first")
        }
        await controller.trigger()
    }

    /// Ends the job after the current picture. Returns at once; ``completion`` tells when it has ended.
    func end() async { await follow(.end) }

    /// The bytes of the frames that are kept for live photos; `nil` if none are.
    var keptBytes: Int? { motion?.byteCount }

    /// The state of the series.
    var status: SeriesStatus {
        get async {
            let (slot, pulse) = (await controller?.nextSlot, await controller?.pulse)
            return SeriesStatus(
                id: series.id, camera: camera, state: state, error: error, schedule: series.scheduleWords,
                nextSlot: slot,
                summary: summary, last: last, health: health,
                interval: series.settings.interval, pulse: pulse, lag: lag, storage: storage, hasFilms: films != nil,
                lastFilm: lastFilm.film)
        }
    }
}

extension SeriesJob {
    private func follow(_ next: Order) async {
        guard order != .end else { return }
        order = next
        pause.end()
        orders.continuation.yield()
        if next != .run { await controller?.finish() }
    }

    /// Shows the state of a series that does not run.
    private func rest() {
        switch order {
        case .pause: change(to: .paused)
        case .stop: change(to: .stopped)
        case .run, .end: break
        }
    }

    private func change(to state: SeriesStatus.State, _ error: CaptureError? = nil) {
        guard state != self.state || error != self.error else { return }
        (self.state, self.error) = (state, error)
        parts.emit(
            ServiceEvent(
                "series", camera: camera, series: series.id,
                ["state": .string(state.rawValue), "error": error?.json]))
    }

    /// Runs the series once, until it ends, fails, or another order comes.
    private func capture() async {
        if series.isPast { return change(to: .completed) }
        if let earlier = earlier.first(where: { !$0.isComplete }) { return await waitFor(earlier) }
        if state != .waiting { change(to: .starting) }
        do throws(CaptureError) {
            let configuration = try await configuration()
            guard order == .run else { return }
            let ending = await run(configuration)
            switch ending {
            case .completed: change(to: .completed)
            case .stopped: break
            case .failed(let error): await fail(error)
            }
        } catch {
            await fail(error)
        }
    }

    private func configuration() async throws(CaptureError) -> CaptureConfiguration {
        let camera = try await findCamera()
        // Finding layers and the outbox reads files.
        var configuration = try await BlockingWork.run { [series, parts] () throws(CaptureError) in
            var configuration = try series.configuration(camera)
            configuration.sentPictures = try series.sentPictures(parts.outbox)
            return configuration
        }
        try parts.checkRasterizer(for: configuration)
        if configuration.motion != nil { try await LiveMotion.prepare() }
        // The setting `resume: no` begins a new series once for each start of the service.
        if hasBegun || series.settings.resume ?? true {
            // The capture changes the pictures: a second reference would copy all of them.
            let earlier = memory
            memory = nil
            try await Ledger.continueSeries(in: &configuration, after: earlier)
        } else {
            try await Ledger.countEarlierStills(in: &configuration)
        }
        return configuration
    }

    private func findCamera() async throws(CaptureError) -> Camera? {
        do throws(CaptureError) {
            return try await source.camera()
        } catch {
            health.lose(error, at: PipelineClock.system.now)
            throw error
        }
    }

    private func run(_ configuration: CaptureConfiguration) async -> CaptureSummary.Ending {
        motion = LiveMotion(configuration, parts.rasterizer)
        defer { motion = nil }
        let controller = CaptureController(
            configuration, hub: parts.hub, rasterizer: parts.rasterizer, motion: motion)
        let events = controller.listen(after: 0)
        self.controller = controller
        change(to: .running)
        async let summary = controller.run()
        // An order that came before the controller was known did not reach it.
        if order != .run { await controller.finish() }
        for await event in events { await handle(event.event) }
        let ending = await summary.ending
        memory = await controller.memory()
        self.controller = nil
        return ending
    }

    private func handle(_ event: CaptureEvent) async {
        parts.observer?.record(event, camera: camera, series: series.id)
        health.record(event, at: PipelineClock.system.now)
        summary.account(for: event)
        var id: String?
        switch event {
        case .captured(let still):
            (last, hasBegun) = (still, true)
            pause.reset()
            lag.add(still.offset)
            id = name(of: still)
            films?.wake()
        case .livePhoto(let still, _): id = name(of: still)
        default: break
        }
        if case .storage(let report) = event { storage = report }
        if let event = ServiceEvent(event, camera: camera, series: series.id, still: id) { parts.emit(event) }
    }

    /// The ID of a picture; `nil` before it has its line in the ledger.
    private func name(of still: Still) -> String? {
        still.ledgerLine.map { StillID(series: series.id, line: $0).description }
    }

    /// Waits before the next attempt, or until a video device appears, or another order comes.
    private func fail(_ error: CaptureError) async {
        await source.forget()
        guard error.code != .wedged else {
            // The service ends: another attempt would hang, too.
            order = .end
            return parts.giveUp(error)
        }
        change(to: .waiting, error)
        if order == .run { await pause.wait(after: error) }
    }

    /// Waits for an earlier job, or until another order comes.
    private func waitFor(_ earlier: Completion) async {
        change(
            to: .waiting,
            CaptureError(
                .temporary, "waits for the end of a job with its earlier settings", subject: series.id.quoted,
                advice: "check the disk and the camera of the series"))
        await pause.wait { await earlier.wait() }
    }

    /// Waits for this long, or until a video device appears.
    static func wait(_ delay: Duration, orDevice awaitsDevice: Bool) async {
        let watch = awaitsDevice ? DeviceWatch() : nil
        defer { watch?.end() }
        await withTaskGroup { group in
            group.addTask { try? await Task.sleep(for: delay, clock: .suspending) }
            if let events = watch?.events {
                group.addTask { for await event in events where event == .appeared { break } }
            }
            await group.next()
            group.cancelAll()
        }
    }
}

/// The last complete film of a series. Any thread may use it.
private final class FilmBox: Sendable {
    private let last = Mutex<StoredClip?>(nil)

    var film: StoredClip? { last.withLock { $0 } }

    /// Sets the film of an earlier process, unless there is a newer one.
    func begin(with film: StoredClip?) {
        last.withLock { last in if last == nil, film?.isPlayable == true { last = film } }
    }

    func follow(_ change: FilmChange) {
        last.withLock { last in
            switch change {
            case .made(let film) where film.isPlayable: last = film
            case .removed(let film) where film.id == last?.id: last = nil
            case .made, .removed, .notice: break
            }
        }
    }
}
