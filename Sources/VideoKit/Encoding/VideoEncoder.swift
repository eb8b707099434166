// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization
import SystemBase

/// Encodes the frames of a camera as H.264, in a separate pipeline:
///
///     appsrc ! steps … ! videoconvert ! encoder ! h264parse ! appsink
///
/// Units keep the capture times of their frames. If the encoder is too slow, frames are dropped before it, evenly. The
/// camera never waits. When the format of the camera's frames changes, the caps of the units change, beginning with a key
/// frame. An error ends the units, and reaches all readers.
///
/// Call ``start()`` once, and ``close()`` at the end.
package final class VideoEncoder: Sendable {
    /// How frames are encoded.
    package struct Description: Sendable, Hashable {
        /// The encoder. `.camera` uses the camera's H.264, and needs no steps.
        package var encoder: H264Encoder
        /// The settings of the encoder.
        package var settings: EncoderSettings
        /// The elements that decode, scale and turn frames, in gst-launch syntax. They must produce raw video with an even
        /// width and height, and must not queue frames.
        package var steps: [String]
        /// Frames per second at most; `nil` for all frames.
        package var rate: Double?

        /// Creates a description.
        package init(
            _ encoder: H264Encoder, _ settings: EncoderSettings = EncoderSettings(), steps: [String] = [],
            rate: Double? = nil
        ) { (self.encoder, self.settings, self.steps, self.rate) = (encoder, settings, steps, rate) }

        /// The pipeline in gst-launch syntax.
        package var text: String {
            (["appsrc name=\(VideoEncoder.entryName) is-live=true format=time max-bytes=0"] + steps
                + encoder.elements(settings) + VideoEncoder.exit).joined(separator: " ! ")
        }
    }

    private enum Phase: Sendable {
        case new
        case open(FrameBridge)
        case closed
    }

    /// The encoded units.
    package let outlet: EncodedOutlet

    private let camera: FrameOutlet?
    private let moment: @Sendable (Sample) -> ClockTime
    private let pipeline: Pipeline
    private let entry: EncoderEntry
    private let exit: FrameBridge
    private let phase = Mutex(Phase.new)

    static let entryName = "video-frames", parserName = "video-parser", exitName = "video-units"
    /// The end of the pipeline. One access unit a buffer, with the length of each NAL unit before it.
    static let exit = [
        "h264parse name=\(parserName)", "video/x-h264,stream-format=avc,alignment=au",
        "appsink name=\(exitName) sync=false",
    ]

    /// Creates an encoder that does not run yet.
    ///
    /// - Parameters:
    ///   - camera: The camera's frames; `nil` for frames that were kept, see ``encode(_:)``.
    ///   - moment: Returns the capture time of a frame of the camera. It runs on a streaming thread.
    ///   - prepare: Changes the pipeline before it plays: attaches overlays, and turns frames.
    /// - Throws: `PipelineError` if an element is missing, or the steps cannot be parsed; the errors of `prepare`.
    package init(
        _ description: Description, of camera: FrameOutlet?,
        moment: @escaping @Sendable (Sample) -> ClockTime = { _ in .now },
        prepare: (Pipeline) throws(PipelineError) -> Void = { _ in }
    ) throws(PipelineError) {
        let outlet = EncodedOutlet(keyFramePeriod: description.settings.keyFramePeriod)
        let pipeline = try Pipeline(description.text)
        try prepare(pipeline)
        guard let parser = try pipeline.element(named: Self.parserName).pad("sink") else {
            throw PipelineError(.notFound, "the parser has no sink pad", element: Self.parserName)
        }
        let entry = try EncoderEntry(
            AppSource(named: Self.entryName, in: pipeline), parser: parser, outlet,
            isEncoded: description.encoder == .camera, rate: description.rate)
        let levels = try Self.levels(for: description.encoder, in: pipeline)
        exit = try FrameBridge(from: Self.exitName, in: pipeline) { [weak pipeline] sample in
            guard let start = pipeline?.baseTime, let unit = EncodedUnit(sample, start: start, levels) else { return }
            outlet.publish(unit)
        }
        pipeline.bus.handleSynchronously { [weak entry] message, _ in
            guard case .error(let error) = message.content else { return }
            entry?.close()
            outlet.fail(error)
        }
        (self.camera, self.moment) = (camera, moment)
        (self.pipeline, self.entry, self.outlet) = (pipeline, entry, outlet)
    }

    deinit { outlet.end() }

    /// Attaches the reduction of levels, if the encoder needs it.
    private static func levels(for encoder: H264Encoder, in pipeline: Pipeline) throws(PipelineError) -> VideoLevels? {
        guard !encoder.statesLevels, let pad = try pipeline.element(named: H264Encoder.elementName).pad("sink") else {
            return nil
        }
        let levels = VideoLevels()
        try levels.attach(to: pad)
        return levels
    }

    /// The number of frames that were dropped because the encoder was too slow.
    package var droppedCount: Int { entry.droppedCount }

    /// The error that ended the encoder; `nil` if there was none.
    package var error: PipelineError? { pipeline.bus.firstError }

    /// The messages of the pipeline.
    package var messages: BusMessages { pipeline.bus.messages() }

    /// Starts the pipeline, and encodes the camera's frames from now on.
    ///
    /// - Throws: `PipelineError` if an element does not start, or the encoder was closed.
    package func start() async throws(PipelineError) {
        do throws(PipelineError) {
            try await pipeline.play()
        } catch {
            outlet.fail(error)
            await close()
            throw error
        }
        guard let bridge = camera?.bridge({ [entry, moment] in entry.receive($0, at: moment($0)) }) else { return }
        let isOpen = phase.withLock { phase in
            guard case .new = phase else { return false }
            phase = .open(bridge)
            return true
        }
        if !isOpen { bridge.close() }
    }

    /// How long an encoder may need for a frame that was kept.
    private static let patience = Duration.seconds(5)

    /// Encodes frames that were kept, in the order of their times. Only for an encoder without a camera, after ``start()``,
    /// once.
    ///
    /// - Returns: The units, with the times of their frames. A damaged frame has none.
    /// - Throws: The error that ended the encoder.
    package func encode(_ frames: [EncodedUnit]) async throws(PipelineError) -> [EncodedUnit] {
        guard let first = frames.first, let last = frames.last else { return [] }
        let reader = outlet.reader(limit: .max)
        // A pipeline takes no frame from before its start.
        let shift = ClockTime.now - first.time
        for frame in frames { entry.queue(frame.sample, at: frame.time + shift) }
        var units: [EncodedUnit] = []
        while units.last.map({ $0.time < last.time }) ?? true, let unit = try await next(of: reader) {
            units.append(EncodedUnit(unit.sample, time: unit.time - shift, isKey: unit.isKey))
        }
        return units
    }

    /// Waits for a unit, but no longer than ``patience``.
    private func next(of reader: EncodedReader) async throws(PipelineError) -> EncodedUnit? {
        await TimeLimit.wait(atMost: Self.patience) { await reader.waitForUnit() }
        return try reader.take()
    }

    /// Ends the units, and stops the pipeline. When this returns, the encoder holds no frame of the camera, or the deadline
    /// has passed. Frames that are in the encoder are discarded.
    package func close(deadline: Duration = .seconds(2)) async {
        let bridge = phase.withLock { phase -> FrameBridge? in
            defer { phase = .closed }
            return if case .open(let bridge) = phase { bridge } else { nil }
        }
        bridge?.close()
        entry.close()
        exit.close()
        outlet.end()
        try? await pipeline.stop(deadline: deadline)
    }
}

extension EncodedUnit {
    /// Creates a unit from an access unit of a pipeline that began to run at `start`.
    ///
    /// - Returns: `nil` if the access unit has no time.
    fileprivate init?(_ sample: Sample, start: ClockTime, _ levels: VideoLevels?) {
        // An encoder may shift its timestamps together with their segment, as x264enc does: only the running time counts.
        guard let time = sample.runningTime else { return nil }
        self.init(
            (levels?.labeled(sample) ?? sample).keepable(),
            time: start + .nanoseconds(Int64(clamping: time.nanoseconds)), isKey: sample.isKey)
    }
}
