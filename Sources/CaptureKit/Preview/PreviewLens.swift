// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import PipelineKit

/// Prepares the frames of one camera for the screen: decodes, scales, turns and mirrors them, and draws the overlay.
///
/// It lives as long as the camera is open. Nothing of the camera is left when it is closed: frames that go on to the
/// screen are in memory of their own.
final class PreviewLens: Sendable {
    private let pipeline: Pipeline
    private let turn: PreviewTurn
    private let entry: FrameBridge
    private let exit: FrameBridge
    private let watch: PreviewWatch?

    /// What the lens is given to work with.
    struct Surroundings: Sendable {
        /// What is drawn; it is drawn on no other lens from now on.
        let overlay: Overlay?
        /// Looks at the frames before anything is drawn on them.
        var observer: (any PreviewObserver)?
        /// Takes the format of the camera's frames, and how they are turned, on a streaming thread.
        let meet: @Sendable (VideoInfo, Orientation) -> Void
        /// Takes what the frames are that are shown from now on; on a streaming thread.
        var prepare: @Sendable (Caps) -> Void = { _ in }
        /// Takes each frame that is fit to be shown, and when it came from the camera; on a streaming thread.
        let show: @Sendable (Sample, ClockTime?) -> Void
    }

    /// Puts a lens before a camera whose pipeline has a tap and does not run yet.
    init(
        _ description: PreviewDescription, on camera: Pipeline, _ surroundings: Surroundings
    ) throws(PipelineError) {
        let pipeline = try Pipeline(description.lens)
        self.pipeline = pipeline
        let turn = try PreviewTurn(description, in: pipeline, surroundings.meet)
        self.turn = turn
        watch = surroundings.observer.map(PreviewWatch.init)
        try Self.follow(pipeline, turn, watch)
        if let pad = try pipeline.element(named: PreviewDescription.overlayName).pad("src") {
            // First the copy, then who looks at it, then what is drawn on it.
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
        entry = try FrameBridge(from: PreviewDescription.tapName, in: camera) { sample in
            // Damaged frames are not shown; the next comes soon.
            guard sample.buffer?.isCorrupted != true else { return }
            turn.look(at: sample)
            source.relay(sample)
        }
    }

    /// What the pipeline has to say.
    var messages: BusMessages { pipeline.bus.messages() }

    /// Starts it.
    func play() async throws(PipelineError) { try await pipeline.play() }

    /// Mirrors the turned frames, or not.
    func mirror(_ isOn: Bool) { turn.mirror(isOn) }

    /// Lets no frame through any more.
    func cut() {
        entry.close()
        watch?.close()
        exit.close()
    }

    /// Ends it: nothing of the camera is held any more when this returns, or the deadline has passed.
    func close(deadline: Duration = .seconds(2)) async {
        cut()
        try? await pipeline.stop(deadline: deadline)
    }
}

extension PreviewLens {
    /// Sizes the frames when their format is known.
    private static func follow(
        _ pipeline: Pipeline, _ turn: PreviewTurn, _ watch: PreviewWatch?
    ) throws(PipelineError) {
        guard let pad = try pipeline.element(named: PreviewDescription.entryName).pad("sink") else { return }
        try pad.probeEvents { event in
            guard case .caps(let caps) = event, let info = caps.videoInfo else { return .pass }
            watch?.meet(camera: info)
            turn.meet(info)
            return .pass
        }
    }

    /// Copies frames that nobody on the way has made anew: the memory of those is the camera's.
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
            detacher.meet(caps)
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
            if case .caps(let caps) = event, let info = caps.videoInfo { watch.meet(shown: info) }
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
