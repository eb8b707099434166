// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import PipelineKit

/// A camera of a session: shown on the preview while it is open, and asked for single pictures.
///
/// It is opened, lost and opened again as ``SupervisedCamera`` does it. Pictures are asked for one after the other.
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
    /// True while somebody wants it open.
    private var isWanted = false
    /// Why it is lost for good.
    private var end: CaptureError?
    private var watch: Task<Void, Never>?

    /// Prepares a camera; nothing is opened yet.
    ///
    /// - Parameter rasteriser: What draws the layers that are burnt in.
    init(
        _ configuration: CaptureConfiguration, preview: PreviewScreen, _ request: PreviewRequest,
        _ rasteriser: (any Rasteriser)? = nil
    ) {
        var configuration = configuration
        configuration.output = .caller
        configuration.schedule = .onRequest()
        configuration.preview = request
        self.configuration = configuration
        id = configuration.cameraID
        camera = SupervisedCamera(configuration, preview: preview)
        writer = StillWriter(configuration, rasteriser)
        (happenings, tell) = AsyncStream.makeStream()
    }

    /// Opens it; ``happenings`` tell what comes of it.
    func open() async {
        if let end {
            tell.yield(.gone(end))
            return
        }
        isWanted = true
        if watch == nil { watch = Task { for await happening in camera.happenings { take(happening) } } }
        await camera.open()
    }

    /// Closes it until it is opened again; it is free when this returns, unless its driver hangs.
    func rest() async {
        (current, isWanted) = (nil, false)
        await camera.rest()
    }

    /// Closes it for good; it is free when this returns, unless its driver hangs.
    func close() async {
        (current, isWanted) = (nil, false)
        await camera.close()
        watch?.cancel()
        await writer.close()
        tell.finish()
    }

    /// So long before its moment a picture has to be asked for: the frames around it have to be seen as they come, and a
    /// flash shows some frames after it was lit.
    func lead(bestOf count: Int) -> Duration {
        guard let current else { return .zero }
        // An automatic flash measures a frame first.
        let frames = configuration.flash == .off ? 2 : configuration.flash == .auto ? 8 : 6
        let frameDuration = current.camera.frameDuration
        return FrameFeed.lead(of: count, frameDuration: frameDuration) + frameDuration * frames + .milliseconds(20)
    }

    /// What came of a request for a picture.
    enum Answer: Sendable {
        case shot(SessionShot)
        /// It gives no frames any more, which it may not have told yet.
        case lost(CaptureError)
    }

    /// The frame nearest a moment, as a picture.
    ///
    /// - Parameters:
    ///   - count: Of so many frames around the moment the sharpest is taken.
    ///   - isCropped: `true` if the caller crops the picture.
    /// - Throws: ``CaptureError`` where the frame is damaged, or the task is cancelled.
    func take(
        _ moment: ClockTime, number: Int, bestOf count: Int, isCropped: Bool
    ) async throws(CaptureError) -> Answer {
        guard let (camera, feed) = current else { return .lost(loss ?? .sourceEnded(configuration.sourceName)) }
        let asked = PipelineClock.system.now
        do throws(CaptureError) { _ = try await camera.light(feed) } catch { tell.yield(.notice("\(error)")) }
        let best = await feed.best(of: count, around: moment, frameDuration: camera.frameDuration)
        let latency = best.map { PipelineClock.system.now - $0.frame.time }
        let whole = await feed.whole(best?.frame, after: moment, patience: FramePicker.patience)
        await camera.douse()
        guard !Task.isCancelled else { throw .calledOff }
        // A frame that came long before is a rest of the picture before, from a source that has ended since. Its own time
        // does not tell: the times of some sources lag by seconds.
        guard let frame = whole, frame.arrival > min(asked, moment) - camera.frameDuration * (count + 2) else {
            return .lost(camera.session.failure ?? .sourceEnded(configuration.sourceName))
        }
        let exposure = await camera.exposure()
        let slot = Slot(index: number, due: moment, cause: .trigger)
        let still = try await writer.write(
            frame, slot: slot, burstIndex: 0, tolerance: camera.frameDuration * 3 / 2, exposure: exposure)
        for notice in await writer.takeNotices() { tell.yield(.notice(notice)) }
        guard let still, let bytes = still.bytes else { throw .damaged(configuration.still.rawValue) }
        // Without the pixels the crop is cut from the encoded still.
        let pixels = isCropped ? try? await StillCoding.pixels(ofRaw: frame.sample, configuration.orientation) : nil
        return .shot(
            SessionShot(
                still: still, bytes: bytes, format: configuration.still, pixels: pixels,
                latency: count > 1 ? nil : latency, bestOf: count, sharpness: count > 1 ? best?.choice.sharpness : nil,
                exposure: exposure))
    }
}

extension SessionCamera {
    private func take(_ happening: SupervisedCamera.Happening) {
        switch happening {
        case .opening(let description): tell.yield(.opening(description.launchText))
        case .meeting(let caps): Task { await writer.warmUp(for: caps) }
        case .ready(let camera, _):
            // It may have been told to rest since.
            guard isWanted else { return }
            current = (camera, FrameFeed(camera.session))
            tell.yield(.ready)
        case .stalled(let silence): tell.yield(.stalled(silence))
        case .lost(let error): lose(.lost(error), error)
        case .recovering(_, _, let error) where error != loss: lose(.lost(error), error)
        case .recovering: break
        case .recovered(let span): tell.yield(.recovered(span))
        // A session has no use for a source that gives nothing more.
        case .ended(let error), .gone(let error):
            end = error
            lose(.gone(error), error)
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
