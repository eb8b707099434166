// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import ClipKit
import PipelineKit
import StillKit

/// Records the clips of a camera on request, one recording at a time, until ``end(because:)``. With triggers, it is armed
/// all the time, and is retried after a fault.
actor ClipJob {
    /// The request that is in force. A recording that a request started ends with `stop`, and then rests.
    private enum Order {
        case rest, arm, stop, end
        case record(Duration?)
    }

    /// A recording that runs.
    private struct Recording {
        let controller: ClipController
        /// Completes when the recording is to end.
        let stopRequest = Completion()
    }

    /// Completes when ``run()`` has returned.
    nonisolated let completion = Completion()
    /// The clips on the disk.
    nonisolated let folder: ClipFolder
    /// The state of the camera, as the recording sees it.
    private(set) var health = CameraHealth()

    private let clips: ClipSettings
    private let camera: String
    private let source: CameraSource
    private let parts: ServiceParts
    /// Jobs that use the same files or the same camera, and have to end before this one begins.
    private let earlier: [Completion]
    /// The orders that ``run()`` has not followed yet.
    private let orders = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private let pause: RetryPause
    private var order: Order
    private var progress: ClipProgress
    private var recording: Recording?
    /// Completes when the recording that a request started has ended.
    private var ending = Completion()
    /// The error of requests after the end.
    private var reason: CaptureError?

    /// - Parameter earlier: The jobs that have to end before this one begins.
    init(
        _ clips: ClipSettings, of camera: String, _ source: CameraSource, _ parts: ServiceParts,
        after earlier: [Completion]
    ) {
        (self.clips, self.camera, self.source, self.parts, self.earlier) = (clips, camera, source, parts, earlier)
        folder = ClipFolder(
            clips.names, clips.policy,
            sent: { () throws(CaptureError) in try clips.sentPictures(parts.outbox) },
            report: { parts.emit(ServiceEvent($0, camera: camera)) })
        pause = RetryPause(first: parts.retryDelay)
        order = clips.isTriggered ? .arm : .rest
        progress = ClipProgress(isTriggered: clips.isTriggered, at: .now())
    }

    /// Repairs the clips of an earlier process, and records until ``end(because:)``. Returns when the last clip is
    /// complete; or soon after its task is canceled. Call it once.
    func run() async {
        await earlier.wait()
        await repair()
        loop: while !Task.isCancelled {
            switch order {
            case .end: break loop
            case .rest: for await _ in orders.stream { break }
            case .stop: await finish(ClipSummary(ending: .stopped))
            case .arm: await stayArmed()
            case .record(let length): await finish(await record(for: length))
            }
        }
        await folder.close()
        ending.complete()
        completion.complete()
    }

    /// Ends the job with the current picture. Returns at once; ``completion`` tells when it has ended.
    func end(because error: CaptureError) {
        reason = reason ?? error
        follow(.end)
    }

    /// The state of the recordings. Blocks no thread of Swift's pool.
    var status: ClipStatus {
        get async {
            var status = progress.status
            if let path = progress.path { status.byteCount = await folder.byteCount(of: path) }
            return status
        }
    }
}

// MARK: - Requests

extension ClipJob {
    /// Starts a recording; see ``CaptureService/startClip(_:for:)``.
    func start(for length: Duration?) throws(CaptureError) {
        try checkOpen()
        guard !clips.isTriggered else {
            throw CaptureError(
                .usage, "records around triggers", subject: camera, advice: "request trigger, or remove trigger: yes")
        }
        guard case .rest = order else {
            throw CaptureError(.usage, "already records", subject: camera, advice: "stop the recording first")
        }
        if let length, length <= .zero {
            throw CaptureError(
                .usage, "the duration of a recording is not positive", subject: camera, advice: "give 1s or more")
        }
        ending = Completion()
        progress.start(at: .now())
        follow(.record(length))
    }

    /// Ends a recording, or the clip of a trigger; see ``CaptureService/stopClip(_:)``.
    func stop() async throws(CaptureError) -> Int? {
        if clips.isTriggered {
            guard let clip = progress.status.clip, let recording else { throw notRecording }
            await recording.controller.endClip()
            return clip
        }
        switch order {
        case .record, .stop: follow(.stop)
        case .rest, .arm, .end: throw notRecording
        }
        await ending.wait()
        return progress.lastClip
    }

    /// Begins a clip, or extends it; see ``CaptureService/triggerClip(_:)``.
    func trigger() async throws(CaptureError) {
        try checkOpen()
        guard clips.isTriggered else {
            throw CaptureError(
                .usage, "has no triggers", subject: camera,
                advice: "start a recording, or add trigger: yes to its clips")
        }
        guard let recording else {
            throw progress.status.error
                ?? CaptureError(.temporary, "is not armed yet", subject: camera, advice: "try again later")
        }
        await recording.controller.trigger()
    }

    private var notRecording: CaptureError {
        CaptureError(.usage, "does not record", subject: camera, advice: "start a recording first")
    }

    private func checkOpen() throws(CaptureError) {
        if let reason { throw reason }
        guard !completion.isComplete else { throw .isStopping }
        try earlier.checkEnded(of: camera)
    }

    private func follow(_ next: Order) {
        if case .end = order { return }
        order = next
        pause.end()
        orders.continuation.yield()
        switch next {
        case .stop, .end: recording?.stopRequest.complete()
        case .rest, .arm, .record: break
        }
    }
}

// MARK: - Recordings

extension ClipJob {
    private func repair() async {
        do throws(CaptureError) {
            try await folder.open()
        } catch {
            // The next clip tries again.
            progress.fail(error)
            parts.emit(ServiceEvent(.notice(Notice(.clipNotListed, error)), camera: camera))
        }
    }

    /// Ends the order of a recording that a request started. The next one can be started when its event is there.
    private func finish(_ summary: ClipSummary) async {
        if case .failed(let error) = summary.ending { await note(error) }
        switch order {
        case .record, .stop: order = .rest
        case .rest, .arm, .end: break
        }
        health = CameraHealth()
        progress.end(at: .now())
        emit(.finished(summary), nil)
        ending.complete()
    }

    /// Records around triggers. After a fault it waits before the next attempt.
    private func stayArmed() async {
        let summary = await record(for: nil)
        guard case .failed(let error) = summary.ending else { return emit(.finished(summary), nil) }
        await note(error)
        progress.wait(after: error, at: .now())
        emit(.finished(summary), nil)
        if case .arm = order { await pause.wait(after: error) }
    }

    private func note(_ error: CaptureError) async {
        progress.fail(error)
        await source.forget()
        guard error.code == .wedged else { return }
        // The service ends: another attempt would hang, too.
        order = .end
        parts.giveUp(error)
    }

    private func emit(_ event: ClipEvent, _ clip: Int?) {
        if let event = ServiceEvent(event, camera: camera, clip: clip) { parts.emit(event) }
    }

    /// Records once, until the recording ends, fails, or is stopped.
    private func record(for length: Duration?) async -> ClipSummary {
        do throws(CaptureError) {
            let configuration = try await configuration(for: length)
            return isWanted ? await run(configuration) : ClipSummary(ending: .stopped)
        } catch {
            return ClipSummary(ending: .failed(error))
        }
    }

    /// `true` unless another order came.
    private var isWanted: Bool {
        switch order {
        case .arm, .record: true
        case .rest, .stop, .end: false
        }
    }

    private func configuration(for length: Duration?) async throws(CaptureError) -> ClipConfiguration {
        let camera = try await findCamera()
        // Finding layers reads files.
        let configuration = try await BlockingWork.run { [clips] () throws(CaptureError) in
            try clips.configuration(camera, for: length)
        }
        try parts.checkRasterizer(for: configuration.camera)
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

    private func run(_ configuration: ClipConfiguration) async -> ClipSummary {
        let account = RecordingAccount(folder)
        let controller = ClipController(
            configuration, hub: parts.hub, rasterizer: parts.rasterizer, accounting: account)
        let recording = Recording(controller: controller)
        self.recording = recording
        async let summary = controller.run()
        async let stop: Void = Self.stop(recording)
        for await event in controller.events { handle(event, account) }
        let outcome = await summary
        recording.stopRequest.complete()
        await stop
        self.recording = nil
        return outcome
    }

    /// Ends a recording on request.
    private static func stop(_ recording: Recording) async {
        await recording.stopRequest.wait()
        await recording.controller.stop()
    }

    private func handle(_ event: ClipEvent, _ account: RecordingAccount) {
        health.record(clip: event, at: PipelineClock.system.now)
        var id: Int?
        if case .began(let path, _) = event {
            id = account.id(of: path)
            pause.reset()
        }
        if case .recorded(let clip) = event { id = account.forget(clip.path) }
        progress.handle(event, clip: id, at: .now())
        // The job emits the end when the next recording can be started.
        if case .finished = event { return }
        emit(event, id)
    }
}
