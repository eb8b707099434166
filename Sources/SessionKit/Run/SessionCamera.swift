// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import ClipKit
import CropKit
import FrameMeasures
import OverlayCompositor
import PipelineKit
import PresetKit
import ScheduleKit
import VideoKit

/// A camera of a session: shown on the preview while it is open, and used for single pictures.
///
/// A ``CameraLease`` opens the camera, and reports its loss and recovery. The caller requests one picture after
/// the other.
actor SessionCamera {
    /// An event of the camera.
    enum Event: Sendable {
        /// The camera is being opened, with this pipeline in gst-launch syntax.
        case opening(String)
        /// The camera delivers, and its picture is steady.
        case ready
        /// No frame has arrived for this long.
        case stalled(Duration)
        /// The camera is lost, or an attempt to recover it failed with another error than before. Its supervisor tries
        /// to recover it.
        case lost(CaptureError)
        /// The camera is back, this long after it was lost.
        case recovered(Duration)
        /// The camera is lost, and its supervisor no longer tries to recover it.
        case gone(CaptureError)
        /// A notice for the user.
        case notice(Notice)
    }

    /// The events of the camera, for one listener; they end with ``close()``.
    nonisolated let events: AsyncStream<Event>
    /// The stable id of the camera; `source` for elements of the user.
    nonisolated let id: String
    /// The name of the camera in texts.
    nonisolated let name: String

    private nonisolated let configuration: CaptureConfiguration
    private let camera: CameraLease
    private let writer: StillWriter
    private nonisolated let hub: CameraHub
    private nonisolated let rasterizer: (any Rasterizer)?
    private let continuation: AsyncStream<Event>.Continuation
    /// The open camera and its frames; `nil` while the camera does not deliver.
    private var current: (camera: OpenCamera, feed: FrameFeed)?
    /// The error of the last loss.
    private var loss: CaptureError?
    /// `true` while the session needs the camera to be open.
    private var isWanted = false
    /// The error after which the camera cannot be opened again; `nil` while it can.
    private var end: CaptureError?
    /// Handles the events of the lease.
    private var watch: Task<Void, Never>?
    /// Prepares the encoder for the format of the camera.
    private var warming = TaskChain()

    /// Prepares a camera; opens nothing yet.
    ///
    /// - Parameters:
    ///   - preview: Shows the camera's frames; `nil` for a camera that is not shown.
    ///   - request: The content of the preview.
    ///   - hub: Owns the camera, which other jobs may use at the same time.
    ///   - rasterizer: Draws the layers that are burned into stills.
    init(
        _ configuration: CaptureConfiguration, preview: PreviewScreen?, _ request: PreviewRequest,
        hub: CameraHub, _ rasterizer: (any Rasterizer)? = nil
    ) {
        var configuration = configuration
        configuration.output = .caller
        configuration.schedule = .onRequest()
        configuration.preview = preview == nil ? nil : request
        (self.configuration, self.hub, self.rasterizer) = (configuration, hub, rasterizer)
        (id, name) = (configuration.cameraID, configuration.cameraName)
        camera = hub.lease(configuration, for: "a session", preview: preview)
        writer = StillWriter(configuration, rasterizer)
        (events, continuation) = AsyncStream.makeStream()
    }

    /// Opens the camera; ``events`` emit the result, which is ``Event/gone(_:)`` if the camera cannot be opened again.
    func open() async {
        if let end {
            continuation.yield(.gone(end))
            return
        }
        isWanted = true
        if watch == nil { watch = Task { for await event in camera.events { handle(event) } } }
        await camera.open()
    }

    /// Needs no frames until ``open()``. Unless another job needs the camera or its driver hangs, the device is closed
    /// when this returns.
    func rest() async {
        (current, isWanted) = (nil, false)
        await camera.rest()
    }

    /// Ends the use of the camera. Unless another job needs the camera or its driver hangs, the device is closed when
    /// this returns.
    func close() async {
        (current, isWanted) = (nil, false)
        await camera.close()
        watch?.cancel()
        await watch?.value
        await warming.finish()
        await writer.close()
        continuation.finish()
    }

    /// Returns how long before its moment a picture must be requested; zero while the camera does not deliver. The
    /// frames around the moment must be seen as they arrive, and a flash shows some frames after it is lit.
    func lead(bestOf count: Int) -> Duration {
        guard let current else { return .zero }
        // An automatic flash measures a frame first.
        let frames = configuration.flash == .off ? 2 : configuration.flash == .auto ? 8 : 6
        let frameDuration = current.camera.frameDuration
        return FrameFeed.lead(of: count, frameDuration: frameDuration) + frameDuration * frames + .milliseconds(20)
    }

    /// `true` if the camera may deliver H.264, as ``format()`` shows.
    nonisolated var mayDeliverH264: Bool { configuration.mayDeliverH264 }

    /// Returns the format of the frames; opens the camera for a moment unless another job has it open. `nil` if that
    /// fails, which an attempt to use the camera reports.
    nonisolated func format() async -> Caps? {
        var configuration = configuration
        configuration.preview = nil
        let lease = hub.lease(configuration, for: "a session")
        await lease.open()
        var format: Caps?
        events: for await event in lease.events {
            switch event {
            case .negotiated(let caps): format = caps
            case .ready, .lost, .gone, .ended: break events
            default: continue
            }
            if format != nil { break }
        }
        await lease.close()
        return format
    }

    /// Returns the recorder of a clip of this camera.
    nonisolated func recorder(
        length: Duration, _ video: VideoSettings, _ microphone: MicrophoneRequest, _ encoders: EncoderCatalog
    ) -> SessionRecorder {
        SessionRecorder(configuration, id: id, hub, rasterizer, length: length, video, microphone, encoders)
    }

    /// Captures the frame nearest to the zero of a picture, or the sharpest of the frames around it. The caller waits for
    /// one picture before it requests the next.
    ///
    /// - Parameters:
    ///   - count: The number of frames around the moment, of which the sharpest becomes the picture.
    ///   - needsPixels: `true` to return the pixels of a raw frame, too.
    /// - Returns: `nil` if the camera is lost, which ``events`` report.
    /// - Throws: ``CaptureError`` if the frame is damaged or cannot be encoded, or if the task is canceled.
    func capture(
        _ taking: Taking, bestOf count: Int, needsPixels: Bool
    ) async throws(CaptureError) -> SessionShot? {
        let moment = taking.zero
        guard let (camera, feed) = current else {
            // The caller requested the picture before it knew of the loss, or of the rest before a switch.
            let error = loss ?? .sourceEnded(configuration.sourceName)
            lose(.lost(error), error)
            return nil
        }
        let asked = PipelineClock.system.now
        let lighting = await camera.light(feed)
        if let error = lighting.failure { continuation.yield(.notice(Notice(.flashNotLit, error))) }
        let best = await feed.best(of: count, around: moment, frameDuration: camera.frameDuration)
        let latency = best.map { PipelineClock.system.now - $0.frame.time }
        var whole = await feed.whole(best?.frame, after: moment, patience: FramePicker.patience)
        // A frame that arrived long before the request may be the last of a source that has ended; then no other frame
        // follows. Only the arrival shows its age: the timestamps of some sources lag by seconds.
        let start = min(asked, moment) - camera.frameDuration * (count + 2)
        if let frame = whole, frame.arrival <= start, await !feed.hasNext() { whole = nil }
        await camera.turnOff()
        guard !Task.isCancelled else { throw .calledOff }
        guard let frame = whole else {
            lose(camera.session)
            return nil
        }
        let exposure = await camera.exposure(with: lighting)
        let slot = Slot(index: taking.number, due: moment, cause: .trigger)
        let written = try await writer.write(
            frame, slot: slot, burstIndex: 0, tolerance: camera.frameDuration * 3 / 2, exposure: exposure)
        for notice in written.notices { continuation.yield(.notice(notice)) }
        guard let still = written.still, let bytes = still.bytes else { throw .damaged(configuration.still.rawValue) }
        // From the raw frame, so that a crop is compressed only once.
        let pixels =
            needsPixels ? try? await StillCoding.pixels(ofRaw: frame.sample, configuration.orientation) : nil
        return SessionShot(
            picture: LibraryPicture(
                bytes: bytes, format: configuration.still, width: still.width, height: still.height),
            pixels: pixels, camera: id, captured: still.captured, offset: still.offset,
            latency: count > 1 ? nil : latency, bestOf: count, sharpness: count > 1 ? best?.choice.sharpness : nil,
            exposure: exposure)
    }
}

extension SessionCamera {
    private func handle(_ event: SupervisedCamera.Event) {
        switch event {
        case .opening(let description): continuation.yield(.opening(description.launchText))
        case .negotiated(let caps): warming.add { [writer] in await writer.warmUp(for: caps) }
        case .ready(let camera, let frame):
            // `rest()` may have been called since.
            guard isWanted else { return }
            current = (camera, FrameFeed(camera.session, after: frame))
            continuation.yield(.ready)
        case .stalled(let silence): continuation.yield(.stalled(silence))
        case .lost(let error): lose(.lost(error), error)
        case .recovering(_, _, let error) where error != loss: lose(.lost(error), error)
        case .recovering: break
        case .recovered(let span): continuation.yield(.recovered(span))
        // A source that has ended delivers no frame for a later picture.
        case .ended(let error), .gone(let error):
            // Another job or program may release the camera later.
            if error.code != .temporary { end = error }
            lose(.gone(error), error)
        case .notice(let notice): continuation.yield(.notice(notice))
        }
    }

    /// Reports the loss of a camera's session that delivers no more frames, before the supervisor does. Does nothing if
    /// the camera has another session now: the supervisor has reported the loss then.
    private func lose(_ session: CameraSession) {
        guard current?.camera.session === session else { return }
        let error = session.failure ?? .sourceEnded(configuration.sourceName)
        lose(.lost(error), error)
    }

    private func lose(_ event: Event, _ error: CaptureError) {
        (current, loss) = (nil, error)
        continuation.yield(event)
    }
}

extension CaptureConfiguration {
    /// The stable id of the camera; `source` for elements of the user.
    fileprivate var cameraID: String {
        switch source {
        case .camera(let camera): camera.id
        case .fragment: "source"
        }
    }
}
