// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import PipelineKit
import Synchronization

/// The preview of a capture: a window that outlives cameras.
///
/// It is started once. Each camera that is opened is linked to it; while there is none, ``hold(because:)`` shows what is
/// wrong, until frames come again. Nothing of it waits for a camera, and no camera for it. A page of layers can cover all
/// of that for as long as somebody likes.
final class PreviewScreen: Sendable {
    /// What happens on it.
    enum Happening: Sendable {
        /// Frames have this size from now on.
        case size(PreviewSize)
        /// A key went down in the window.
        case key(String)
        /// The window was pressed, with a mouse or a finger.
        case press
        /// It is over: its window was closed, or it failed, and why.
        case ended(CaptureError?)
    }

    /// What happens, as it happens; of a listener that is far behind, the oldest are dropped.
    let happenings: AsyncStream<Happening>

    private struct State {
        var pipeline: Pipeline?
        var stage: PreviewStage?
        var lens: PreviewLens?
        var isMirrored: Bool
        var isOver = false
        /// That of the frames of a camera: the next camera's are made to fit, so that the window stays as it is.
        var size: PreviewSize?
        var toldSize: PreviewSize?
        /// The format of the camera's frames, and how they are shown.
        var view: (frame: VideoInfo, request: PreviewRequest, orientation: Orientation)?
        /// How the frames of the camera are turned that is shown, or expected.
        var orientation: Orientation
    }

    let request: PreviewRequest
    let painter: StandInPainter
    private let overlay: Overlay?
    private let observer: (any PreviewObserver)?
    private let tell: AsyncStream<Happening>.Continuation
    private let state: Mutex<State>

    /// Prepares a preview; nothing is shown yet.
    ///
    /// - Parameters:
    ///   - overlay: What is drawn on the frames of cameras.
    ///   - rasteriser: What draws pages, and the words of a hold; without one there are none.
    ///   - observer: Looks at the frames of cameras before anything is drawn on them.
    ///   - orientation: How the first camera's frames are turned: pages before its first frame have their shape.
    init(
        _ request: PreviewRequest, _ overlay: Overlay?, _ rasteriser: (any Rasteriser)?,
        observer: (any PreviewObserver)? = nil, orientation: Orientation = .upright
    ) {
        self.request = request
        self.overlay = overlay
        self.observer = observer
        painter = StandInPainter(rasteriser)
        state = Mutex(State(isMirrored: request.isMirrored, orientation: orientation))
        overlay?.mirror(request.isMirrored)
        (happenings, tell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
    }

    /// What shows the frames; `nil` before it is started.
    var pipeline: Pipeline? { state.withLock { $0.pipeline } }

    /// Opens the display. Windows appear with the first frame. A second time, nothing happens.
    ///
    /// - Throws: ``CaptureError`` with the preview as its subject; nothing is left open by then.
    func start() async throws(CaptureError) {
        guard state.withLock({ $0.pipeline == nil }) else { return }
        do throws(PipelineError) {
            let pipeline = try Pipeline(PreviewDescription(request, of: .raw).screen)
            let source = try AppSource(named: PreviewDescription.sourceName, in: pipeline)
            if let pad = source.element.pad("src") { try listen(at: pad) }
            state.withLock { state in
                state.pipeline = pipeline
                state.stage = PreviewStage { source.relay($0) }
            }
            watch(pipeline.bus.messages())
            try await pipeline.play()
        } catch {
            await close()
            throw CaptureError(preview: error)
        }
    }

    /// Shows the frames of a camera whose pipeline has a tap (``PreviewDescription/tap``) and does not run yet: from the
    /// first good one on, in place of what a hold shows. The one before is cut off.
    ///
    /// - Parameters:
    ///   - media: What the camera gives.
    ///   - orientation: How its stills are turned: its frames are turned alike.
    /// - Returns: What has to be closed with the camera; `nil` where the preview is over.
    /// - Throws: ``CaptureError`` with the preview as its subject.
    func link(
        to camera: Pipeline, of media: PreviewDescription.Media, _ orientation: Orientation
    ) async throws(CaptureError) -> PreviewLens? {
        let (stage, size, isOver) = state.withLock { state in
            state.orientation = orientation
            return (state.stage, state.size, state.isOver)
        }
        guard let stage, !isOver else { return nil }
        var request = request
        if let size { (request.width, request.height) = (size.width, size.height) }
        let lens: PreviewLens
        do throws(PipelineError) {
            lens = try PreviewLens(
                PreviewDescription(request, of: media, orientation), on: camera,
                PreviewLens.Surroundings(
                    overlay: overlay, observer: observer,
                    meet: { [weak self, request] in self?.meet($0, request, $1) },
                    prepare: { [painter] caps in Self.prepareFlash(on: stage, of: caps, painter) },
                    show: stage.show(_:entered:)))
            try await lens.play()
        } catch {
            throw CaptureError(preview: error)
        }
        watch(lens.messages)
        take(lens)
        return lens
    }

    /// Shows it as a mirror does, or not, from the next frame on.
    func mirror(_ isOn: Bool) {
        state.withLock { state in
            state.isMirrored = isOn
            state.lens?.mirror(isOn)
        }
        overlay?.mirror(isOn)
    }

    /// Ends it: the window is gone when this returns, or the deadline has passed, as where the display hangs.
    func close(deadline: Duration = .seconds(2)) async {
        let lens = end()?.lens
        await lens?.close(deadline: deadline)
        try? await pipeline?.stop(deadline: deadline)
        tell.finish()
    }
}

extension PreviewScreen {
    /// Where frames go; `nil` before it is started, and when it is over.
    var stage: PreviewStage? { state.withLock { $0.isOver ? nil : $0.stage } }

    private func take(_ lens: PreviewLens) {
        let before = state.withLock { state in
            defer { state.lens = lens }
            lens.mirror(state.isMirrored)
            return state.lens
        }
        before?.cut()
    }

    private func meet(_ frame: VideoInfo, _ request: PreviewRequest, _ orientation: Orientation) {
        let size = PreviewSize(of: frame, request, orientation)
        state.withLock { ($0.size, $0.view) = (size, (frame, request, orientation)) }
        announce(size)
    }

    /// The size of a page before the first frame is shown: the size of the frames, once a camera has told it.
    var sizeOfPages: PreviewSize { state.withLock { $0.size ?? PreviewSize(of: request, $0.orientation) } }

    /// Where stills of the camera that is shown lie on the preview; `nil` before the first frame.
    var geometry: StillGeometry? {
        state.withLock { state in
            guard let view = state.view else { return nil }
            var request = view.request
            request.isMirrored = state.isMirrored
            return StillGeometry(of: view.frame, request, view.orientation)
        }
    }

    func announce(_ size: PreviewSize) {
        state.withLock { state in
            guard state.toldSize != size else { return }
            state.toldSize = size
            tell.yield(.size(size))
        }
    }

    private func watch(_ messages: BusMessages) {
        Task { [weak self] in
            for await message in messages {
                if case .error(let error) = message.content { self?.fail(error) }
            }
        }
    }

    private func fail(_ error: PipelineError) {
        guard let (pipeline, _) = end() else { return }
        tell.yield(.ended(.ofPreview(error)))
        pipeline?.stopSoon()
    }

    /// Nothing is shown any more; `nil` where that is so already.
    private func end() -> (pipeline: Pipeline?, lens: PreviewLens?)? {
        let parts = state.withLock { state -> (pipeline: Pipeline?, stage: PreviewStage?, lens: PreviewLens?)? in
            guard !state.isOver else { return nil }
            state.isOver = true
            defer { state.lens = nil }
            return (state.pipeline, state.stage, state.lens)
        }
        guard let parts else { return nil }
        parts.lens?.cut()
        parts.stage?.close()
        return (parts.pipeline, parts.lens)
    }

    /// Keys and the mouse are the program's: no source has a use for them.
    private func listen(at pad: Pad) throws(PipelineError) {
        try pad.probeEvents(.upstream) { [tell] event in
            guard case .navigation(let act) = event else { return .pass }
            switch act {
            case .keyPress(let key): tell.yield(.key(key))
            case .buttonPress(1, _, _): tell.yield(.press)
            default: break
            }
            return .drop
        }
    }
}
