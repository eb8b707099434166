// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CropKit
import OverlayCompositor
import PipelineKit
import StillKit
import Synchronization

/// The screen of a preview: a window that outlives cameras.
///
/// It is started once. Each camera that is opened is linked to it. While there is no camera, ``hold(because:)`` shows
/// the reason until frames arrive again. The screen does not wait for cameras, and cameras do not wait for the screen.
/// A page of layers can cover the frames and holds for any time.
package final class PreviewScreen: Sendable {
    /// An event of the screen.
    package enum Event: Sendable {
        /// Frames have this size from now on.
        case size(PreviewSize)
        /// The user pressed a key in the window.
        case key(String)
        /// The user pressed the window with a mouse or a finger.
        case press(x: Double, y: Double)
        /// The preview ended: the user closed its window (`nil`), or it failed with this error.
        case ended(CaptureError?)
    }

    /// The events as they occur. If the listener falls behind, the oldest are dropped.
    package let events: AsyncStream<Event>

    private struct State {
        var pipeline: Pipeline?
        var stage: PreviewStage?
        var lens: PreviewLens?
        /// Holds the first frame back until the window of a sink with GTK is shown.
        var block: PadBlock?
        /// Runs ``PreviewScreen/tasks``.
        var running: Task<Void, Never>?
        var isMirrored: Bool
        var isOver = false
        /// The size of the camera's frames on the screen. The next camera's frames are scaled to it, so that the window
        /// keeps its size.
        var size: PreviewSize?
        var emittedSize: PreviewSize?
        /// The format of the camera's frames, and how they are shown.
        var view: (frame: VideoInfo, request: PreviewRequest, orientation: Orientation)?
        /// The orientation of the camera that is shown or expected.
        var orientation: Orientation
    }

    let request: PreviewRequest
    let painter: StandInPainter
    private let overlay: Overlay?
    private let observer: (any PreviewObserver)?
    private let continuation: AsyncStream<Event>.Continuation
    private let state: Mutex<State>
    /// The tasks that paint, and that watch the pipelines; ``close(deadline:)`` cancels them and waits for their end.
    let tasks = TaskScope()

    /// Prepares a preview; it shows nothing yet.
    ///
    /// - Parameters:
    ///   - overlay: The layers that are drawn on the frames of cameras.
    ///   - rasterizer: Draws pages, and the text of a hold; without it, they have no layers.
    ///   - observer: Examines the frames of cameras before layers are drawn on them.
    ///   - orientation: The orientation of the first camera: pages before its first frame have the shape of its frames.
    package init(
        _ request: PreviewRequest, _ overlay: Overlay?, _ rasterizer: (any Rasterizer)?,
        observer: (any PreviewObserver)? = nil, orientation: Orientation = .upright
    ) {
        self.request = request
        self.overlay = overlay
        self.observer = observer
        painter = StandInPainter(rasterizer)
        state = Mutex(State(isMirrored: request.isMirrored, orientation: orientation))
        overlay?.mirror(request.isMirrored)
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
    }

    deinit { tasks.end() }

    /// The pipeline that shows the frames; `nil` before ``start()``.
    package var pipeline: Pipeline? { state.withLock { $0.pipeline } }

    /// Opens the display. The window appears with the first frame. A second call does nothing, nor does a call after
    /// ``close(deadline:)``.
    ///
    /// - Throws: ``CaptureError`` with the preview as its subject; nothing is left open then.
    package func start() async throws(CaptureError) {
        guard state.withLock({ $0.pipeline == nil && !$0.isOver }) else { return }
        do throws(PipelineError) {
            let pipeline = try Pipeline(PreviewDescription(request, of: .raw).screen)
            let source = try AppSource(named: PreviewDescription.sourceName, in: pipeline)
            if let pad = source.element.pad("src") { try listen(at: pad) }
            let sink = try? pipeline.element(named: PreviewSink.gtkName)
            let repeater = sink.map { _ in FrameRepeater { source.relay($0) } }
            state.withLock { state in
                state.pipeline = pipeline
                state.stage = PreviewStage { sample in
                    if let repeater { repeater.put(sample) } else { source.relay(sample) }
                }
                state.running = Task { [tasks] in await tasks.run() }
            }
            watch(pipeline.bus.messages())
            if let repeater { tasks.add { await repeater.run() } }
            if let sink { try await openWindow(of: sink, in: pipeline) }
            try await pipeline.play()
        } catch {
            await close()
            throw CaptureError(preview: error)
        }
    }

    /// Opens the window of a sink with GTK, and shows it when the first frame arrives. It would otherwise be shown before
    /// it has a size, and its sink could not convert the position of the mouse.
    ///
    /// The first frame waits for the window, because the sink drops frames until it is shown.
    private func openWindow(of sink: Element, in pipeline: Pipeline) async throws(PipelineError) {
        await MainLoop.start()
        try await pipeline.setState(of: sink, to: .ready)
        sink.setGTKWindow(["title": "gst-capture".value, "no-show-all": true.value])
        let block = try sink.pad("sink")?.block(at: .buffer) { [weak self] in self?.showWindow(of: sink) }
        state.withLock { $0.block = block }
    }

    /// Shows the window, lets the first frame pass to it, and draws the window again after that frame: compositors can
    /// otherwise leave out the surface with the frames.
    private func showWindow(of sink: Element) {
        let size = sizeOfPages
        sink.setGTKWindow([
            "default-width": size.width.value, "default-height": size.height.value, "visible": true.value,
        ]) { [weak self] in
            _ = try? sink.pad("sink")?.peer?.whenIdle { sink.redrawGTKWindow() }
            self?.state.withLock { $0.block.take() }?.end()
        }
    }

    /// Shows the frames of a camera from its first good frame on; that frame ends a hold. The previous camera is cut
    /// off.
    ///
    /// - Parameters:
    ///   - camera: The camera's frames.
    ///   - media: The media type of the camera's frames.
    ///   - orientation: The orientation of the camera's stills, which its frames get too.
    /// - Returns: The lens, which must be closed with the camera; `nil` if the preview is over.
    /// - Throws: ``CaptureError`` with the preview as its subject.
    func link(
        to camera: FrameOutlet, of media: PreviewDescription.Media, _ orientation: Orientation
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
                    onFormat: { [weak self, request] in self?.setFormat($0, request, $1) },
                    prepare: { [weak self] caps in self?.prepareFlash(on: stage, of: caps) },
                    show: stage.show(_:entered:)))
        } catch {
            throw CaptureError(preview: error)
        }
        do throws(PipelineError) {
            try await lens.play()
        } catch {
            await lens.close()
            throw CaptureError(preview: error)
        }
        guard switchLens(to: lens) else {
            await lens.close()
            return nil
        }
        watch(lens.messages)
        return lens
    }

    /// Mirrors the preview from the next frame on if `isOn` is `true`.
    package func mirror(_ isOn: Bool) {
        state.withLock { state in
            state.isMirrored = isOn
            state.lens?.mirror(isOn)
        }
        overlay?.mirror(isOn)
    }

    /// Ends the preview. When this returns, the window is gone and nothing is painted anymore, unless the display or a
    /// drawing takes longer than the deadline.
    package func close(deadline: Duration = .seconds(2)) async {
        let lens = end()?.lens
        await lens?.close(deadline: deadline)
        try? await pipeline?.stop(deadline: deadline)
        tasks.end()
        continuation.finish()
        guard let running = state.withLock({ $0.running }) else { return }
        try? await Deadline(subject: "preview", limit: deadline).bound("painting") { await running.value }
    }
}

extension PreviewScreen {
    /// The stage for frames; `nil` before ``start()`` and after the end.
    var stage: PreviewStage? { state.withLock { $0.isOver ? nil : $0.stage } }

    /// Shows the frames of this lens, and cuts off the previous one. Returns `false`, and does not use the lens, if the
    /// preview has ended meanwhile.
    func switchLens(to lens: PreviewLens) -> Bool {
        let (before, isOver) = state.withLock { state -> (PreviewLens?, Bool) in
            guard !state.isOver else { return (nil, true) }
            defer { state.lens = lens }
            lens.mirror(state.isMirrored)
            return (state.lens, false)
        }
        before?.cut()
        return !isOver
    }

    private func setFormat(_ frame: VideoInfo, _ request: PreviewRequest, _ orientation: Orientation) {
        let size = PreviewSize(of: frame, request, orientation)
        state.withLock { ($0.size, $0.view) = (size, (frame, request, orientation)) }
        emitSize(size)
    }

    /// The size of pages: the size of the frames, or the expected size before a camera has reported it.
    var sizeOfPages: PreviewSize { state.withLock { $0.size ?? PreviewSize(of: request, $0.orientation) } }

    /// The geometry of stills of the camera that is shown, relative to the preview; `nil` before the first frame.
    package var geometry: StillGeometry? {
        state.withLock { state in
            guard let view = state.view else { return nil }
            var request = view.request
            request.isMirrored = state.isMirrored
            return StillGeometry(of: view.frame, request, view.orientation)
        }
    }

    func emitSize(_ size: PreviewSize) {
        state.withLock { state in
            guard state.emittedSize != size else { return }
            state.emittedSize = size
            continuation.yield(.size(size))
        }
    }

    private func watch(_ messages: BusMessages) {
        tasks.add { [weak self] in
            for await message in messages {
                if case .error(let error) = message.content { self?.fail(error) }
            }
        }
    }

    private func fail(_ error: PipelineError) {
        guard let (pipeline, _) = end() else { return }
        continuation.yield(.ended(.ofPreview(error)))
        pipeline?.stopSoon()
    }

    /// Ends the preview; returns its parts, or `nil` if it has ended already.
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

    /// Emits keys and presses. The events are dropped then, because no source uses them.
    private func listen(at pad: Pad) throws(PipelineError) {
        try pad.probeEvents(.upstream) { [continuation] event in
            guard case .navigation(let act) = event else { return .pass }
            switch act {
            case .keyPress(let key): continuation.yield(.key(key))
            case .buttonPress(1, let x, let y), .touchDown(let x, let y):
                continuation.yield(.press(x: x, y: y))
            default: break
            }
            return .drop
        }
    }
}
