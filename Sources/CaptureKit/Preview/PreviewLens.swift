// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import PipelineKit
import StillKit

/// Prepares the frames of one camera for the screen: decodes, scales, turns and mirrors them, and draws the overlay.
///
/// It lives while the camera is open. After the camera is closed, no frame uses its memory: frames for the screen are
/// in separate memory.
final class PreviewLens: Sendable {
    private let pipeline: Pipeline
    private let turn: PreviewTurn
    private let entry: FrameBridge
    private let exit: FrameBridge
    private let watch: PreviewWatch?

    /// The dependencies of a lens.
    struct Surroundings: Sendable {
        /// The layers to draw. An overlay belongs to one lens: this lens takes it over from the previous one.
        let overlay: Overlay?
        /// Examines the frames before layers are drawn on them.
        var observer: (any PreviewObserver)?
        /// Receives the format of the camera's frames, and how they are turned, on a streaming thread.
        let onFormat: @Sendable (VideoInfo, Orientation) -> Void
        /// Receives the caps of the frames that are shown from now on, on a streaming thread.
        var prepare: @Sendable (Caps) -> Void = { _ in }
        /// Receives each frame for the screen, and the time when it came from the camera, on a streaming thread.
        let show: @Sendable (Sample, ClockTime?) -> Void
    }

    /// Creates the lens of a camera, whose pipeline may run already.
    init(
        _ description: PreviewDescription, on camera: FrameOutlet, _ surroundings: Surroundings
    ) throws(PipelineError) {
        let pipeline = try Pipeline(description.lens)
        self.pipeline = pipeline
        let turn = try PreviewTurn(description, in: pipeline, surroundings.onFormat)
        self.turn = turn
        watch = surroundings.observer.map(PreviewWatch.init)
        try Self.follow(pipeline, turn, watch)
        if let pad = try pipeline.element(named: PreviewDescription.overlayName).pad("src") {
            // The order matters: copy the frame, show it to the observer, draw on it.
            try Self.detachFrames(at: pad, in: pipeline, surroundings.prepare)
            if let watch { try Self.show(pad, of: pipeline, to: watch) }
            try surroundings.overlay?.attach(to: pad)
        }
        exit = try FrameBridge(from: PreviewDescription.endName, in: pipeline) { [weak pipeline] sample in
            let start = pipeline?.baseTime
            let age = sample.runningTime.map { Duration.nanoseconds(Int64(clamping: $0.nanoseconds)) }
            surroundings.show(sample, start.flatMap { start in age.map { start + $0 } })
        }
        let source = try AppSource(named: PreviewDescription.sourceName, in: pipeline)
        entry = camera.bridge { sample in
            // Damaged frames are dropped; the next one arrives soon.
            guard sample.buffer?.isCorrupted != true else { return }
            turn.readTags(of: sample)
            source.relay(sample)
        }
    }

    /// The messages of the pipeline.
    var messages: BusMessages { pipeline.bus.messages() }

    /// Starts the pipeline.
    func play() async throws(PipelineError) { try await pipeline.play() }

    /// Mirrors the turned frames if `isOn` is `true`.
    func mirror(_ isOn: Bool) { turn.mirror(isOn) }

    /// Stops passing frames.
    func cut() {
        entry.close()
        watch?.close()
        exit.close()
    }

    /// Closes the lens. When this returns, it holds nothing of the camera, or the deadline has passed.
    func close(deadline: Duration = .seconds(2)) async {
        cut()
        try? await pipeline.stop(deadline: deadline)
    }
}

extension PreviewLens {
    /// Sets the size of the frames when their format is known.
    private static func follow(
        _ pipeline: Pipeline, _ turn: PreviewTurn, _ watch: PreviewWatch?
    ) throws(PipelineError) {
        guard let pad = try pipeline.element(named: PreviewDescription.entryName).pad("sink") else { return }
        try pad.probeEvents { event in
            guard case .caps(let caps) = event, let info = caps.videoInfo else { return .pass }
            watch?.setFormat(camera: info)
            turn.setFormat(info)
            return .pass
        }
    }

    /// Copies frames that no filter has rewritten: they are still in the camera's memory.
    private static func detachFrames(
        at pad: Pad, in pipeline: Pipeline, _ prepare: @escaping @Sendable (Caps) -> Void
    ) throws(PipelineError) {
        var makers: [Element] = []
        for name in [
            PreviewDescription.entryName, PreviewDescription.scaleName, PreviewDescription.convertName,
            PreviewDescription.mirrorName,
        ] { makers.append(try pipeline.element(named: name)) }
        let detacher = FrameDetacher(makers)
        try pad.probeEvents { event in
            guard case .caps(let caps) = event else { return .pass }
            detacher.setCaps(caps)
            prepare(caps)
            return .pass
        }
        try pad.probeBuffers { buffer in
            detacher.detach(&buffer)
            return .pass
        }
    }

    private static func show(_ pad: Pad, of pipeline: Pipeline, to watch: PreviewWatch) throws(PipelineError) {
        try pad.probeEvents { event in
            if case .caps(let caps) = event, let info = caps.videoInfo { watch.setFormat(shown: info) }
            return .pass
        }
        try pad.probeBuffers { [weak pipeline] buffer in
            let age = buffer.presentationTime.map { Duration.nanoseconds(Int64(clamping: $0.nanoseconds)) }
            let start = pipeline?.baseTime
            watch.look(at: buffer.retained(), taken: start.flatMap { start in age.map { start + $0 } })
            return .pass
        }
    }
}
