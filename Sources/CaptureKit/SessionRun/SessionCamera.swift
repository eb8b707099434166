// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// A camera of a session: shown on the preview while it is open, and asked for single pictures.
///
/// It is opened, lost and opened again as ``SupervisedCamera`` does it. Pictures are asked for one at a time.
actor SessionCamera {
    /// What happens.
    enum Happening: Sendable {
        /// It is opened, with this pipeline.
        case opening(String)
        /// It delivers, and its picture is steady.
        case ready
        /// No frame has come for this long.
        case stalled(Duration)
        /// It is lost, and others try to get it back.
        case lost(CaptureError)
        /// It is back, so long after it was lost.
        case recovered(Duration)
        /// It is lost for good.
        case gone(CaptureError)
        /// Something is worth knowing.
        case notice(String)
    }

    /// What happens, as it happens; for one listener.
    nonisolated let happenings: AsyncStream<Happening>
    /// Its stable name.
    nonisolated let id: String

    private let configuration: CaptureConfiguration
    private let camera: SupervisedCamera
    private let writer: StillWriter
    private let tell: AsyncStream<Happening>.Continuation
    private var current: (camera: OpenCamera, feed: FrameFeed)?
    private var loss: CaptureError?
    private var watch: Task<Void, Never>?

    /// Prepares a camera; nothing is opened yet.
    init(_ configuration: CaptureConfiguration, preview: PreviewScreen, _ request: PreviewRequest) {
        var configuration = configuration
        configuration.output = .caller
        configuration.schedule = .onRequest()
        configuration.preview = request
        self.configuration = configuration
        id = configuration.cameraID
        camera = SupervisedCamera(configuration, preview: preview)
        writer = StillWriter(configuration)
        (happenings, tell) = AsyncStream.makeStream()
    }

    /// Opens it; ``happenings`` tell what comes of it.
    func open() async {
        if watch == nil { watch = Task { for await happening in camera.happenings { take(happening) } } }
        await camera.open()
    }

    /// Closes it until it is opened again.
    func rest() async {
        current = nil
        await camera.rest()
    }

    /// Closes it for good; it is free when this returns, unless its driver hangs.
    func close() async {
        current = nil
        await camera.close()
        watch?.cancel()
        await writer.close()
        tell.finish()
    }

    /// So long before its moment a picture has to be asked for: the frames around it have to be seen as they come, and a
    /// flash shows some frames after it was lit.
    func lead(bestOf count: Int) -> Duration {
        guard let current else { return .zero }
        let frames = 2 + count / 2 + (configuration.flash == .off ? 0 : 4)
        return current.camera.frameDuration * frames + .milliseconds(20)
    }

    /// The frame nearest a moment, as a picture.
    ///
    /// - Parameters:
    ///   - count: Of so many frames around the moment the sharpest is taken.
    /// - Throws: ``CaptureError`` where the camera is lost, the frame is damaged, or the task is cancelled.
    func take(_ moment: ClockTime, number: Int, bestOf count: Int) async throws(CaptureError) -> SessionShot {
        guard let (camera, feed) = current else { throw loss ?? .sourceEnded(configuration.sourceName) }
        do throws(CaptureError) { try await camera.light() } catch { tell.yield(.notice("\(error)")) }
        let nearest = await feed.nearest(to: moment)
        let whole = await feed.whole(nearest, after: moment, patience: FramePicker.patience)
        await camera.douse()
        guard let frame = whole else { throw camera.session.failure ?? .sourceEnded(configuration.sourceName) }
        let latency = PipelineClock.system.now - frame.time
        let exposure = await camera.exposure()
        let slot = Slot(index: number, due: moment, cause: .trigger)
        let still = try await writer.write(
            frame, slot: slot, burstIndex: 0, tolerance: camera.frameDuration * 3 / 2, exposure: exposure)
        guard let still, let bytes = still.bytes else { throw .damaged(configuration.still.rawValue) }
        return SessionShot(
            still: still, bytes: bytes, format: configuration.still, latency: latency, exposure: exposure)
    }

    /// How its stills are turned.
    nonisolated var orientation: Orientation { configuration.orientation }
}

extension SessionCamera {
    private func take(_ happening: SupervisedCamera.Happening) {
        switch happening {
        case .opening(let description): tell.yield(.opening(description.launchText))
        case .meeting(let caps): Task { await writer.warmUp(for: caps) }
        case .ready(let camera):
            let feed = FrameFeed(camera.session)
            feed.giveBack(camera.frame)
            current = (camera, feed)
            tell.yield(.ready)
        case .stalled(let silence): tell.yield(.stalled(silence))
        case .lost(let error): lose(.lost(error), error)
        case .recovering(_, _, let error) where error != loss: lose(.lost(error), error)
        case .recovering: break
        case .recovered(let span): tell.yield(.recovered(span))
        // A session has no use for a source that gives nothing more.
        case .ended(let error), .gone(let error): lose(.gone(error), error)
        case .notice(let text): tell.yield(.notice(text))
        }
    }

    private func lose(_ happening: Happening, _ error: CaptureError) {
        (current, loss) = (nil, error)
        tell.yield(happening)
    }
}

extension CaptureConfiguration {
    /// What stays the name of its camera.
    fileprivate var cameraID: String {
        switch source {
        case .camera(let camera): camera.id
        case .fragment: "source"
        }
    }
}
