// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// Makes encoded stills of frames, by a small pipeline that stays: it is built for the first frame, and anew when the
/// format of the frames changes.
///
/// One frame at a time. It owns its pipeline; ``close()`` ends it.
final class StillEncoder {
    private let format: StillFormat
    private let quality: Int
    private let orientation: Orientation
    private var stage: Stage?

    /// A running pipeline for frames of one format.
    private struct Stage {
        let caps: Caps
        let description: EncoderDescription
        /// `nil` where the frame already is the still.
        let line: EncoderLine?

        /// True for frames that lie in memory as these do and need the same elements, whatever else their caps say.
        func takes(_ caps: Caps, _ description: EncoderDescription) -> Bool {
            guard self.description == description, let own = self.caps.videoInfo, let other = caps.videoInfo else {
                return false
            }
            return own.format == other.format && own.width == other.width && own.height == other.height
        }
    }

    /// A still's data, encoded but without metadata.
    struct Encoded: Sendable {
        let bytes: [UInt8]
        /// What the orientation tag has to say.
        let orientation: Orientation
        /// The format of the bytes where they are raw video.
        let info: VideoInfo?
        /// The colour and layout that go with raw bytes.
        let caps: Caps
    }

    init(format: StillFormat, quality: Int, orientation: Orientation) {
        self.format = format
        self.quality = quality
        self.orientation = orientation
    }

    /// Builds the pipeline ahead of the first frame, where the format is known already.
    func prepare(for caps: Caps) async throws(CaptureError) {
        _ = try await stage(for: caps)
    }

    /// Encodes a frame.
    ///
    /// - Throws: ``CaptureError`` where there is no way from this frame to the still, or an element failed.
    func encode(_ sample: Sample) async throws(CaptureError) -> Encoded {
        guard let caps = sample.caps else {
            throw CaptureError(
                .configuration, "the source does not say what its frames are",
                advice: "say it with caps, or let --decode auto find out")
        }
        try check(sample, caps)
        let stage = try await stage(for: caps)
        guard let line = stage.line else { return try StillEncoder.read(sample, caps, stage.description) }
        do throws(CaptureError) {
            let output = try await line.encode(sample)
            return try StillEncoder.read(output, output.caps ?? caps, stage.description)
        } catch {
            // A pipeline that failed is not used again.
            close()
            throw error
        }
    }

    /// Ends the pipeline. A later frame builds a new one.
    func close() {
        stage?.line?.close()
        stage = nil
    }

    /// Refuses a frame that is cut off: elements make pictures of what is left, and of memory that is nobody's.
    private func check(_ sample: Sample, _ caps: Caps) throws(CaptureError) {
        if let info = caps.videoInfo {
            guard let buffer = sample.buffer, (try? buffer.withVideoFrame(info) { _ in }) != nil else {
                throw .damaged(info.format)
            }
        } else if caps.structures.first?.name == "image/jpeg", format != .jpeg {
            guard let bytes = try? sample.buffer?.bytes() else { throw .damaged("JPEG") }
            _ = try JPEGPicture(bytes)
        }
    }

    private func stage(for caps: Caps) async throws(CaptureError) -> Stage {
        if let stage, stage.caps == caps { return stage }
        let description = try EncoderDescription(from: caps, to: format, quality: quality, orientation: orientation)
        if let stage, stage.takes(caps, description) { return stage }
        close()
        let line =
            description.elements.isEmpty && !description.expandsRange ? nil : try await EncoderLine(description, caps)
        let stage = Stage(caps: caps, description: description, line: line)
        self.stage = stage
        return stage
    }

    private static func read(
        _ sample: Sample, _ caps: Caps, _ description: EncoderDescription
    ) throws(CaptureError) -> Encoded {
        do {
            guard let buffer = sample.buffer else { throw PipelineError(.map, "an empty sample") }
            // Rows may lie further apart than the caps alone say.
            let info = try caps.videoInfo.map { info in try buffer.withVideoFrame(info) { $0.info } }
            return Encoded(
                bytes: try buffer.bytes(), orientation: description.remainingOrientation, info: info, caps: caps)
        } catch {
            throw CaptureError(.inputOutput, "a frame cannot be read: \(error)")
        }
    }
}

/// `appsrc ! … ! appsink`, playing.
private final class EncoderLine: Sendable {
    private let pipeline: Pipeline
    private let input: AppSource
    private let output: AppSink
    private let expansion: (apply: RangeExpansion, pool: FramePool)?
    private let watch: Task<Void, Never>
    private let tally = Tally()

    /// How many frames were handed in.
    private final class Tally: Sendable { let count = Mutex(0) }

    init(_ description: EncoderDescription, _ caps: Caps) async throws(CaptureError) {
        do {
            let pipeline = try Pipeline(description.text)
            input = try AppSource(named: "in", in: pipeline, caps: caps)
            output = try AppSink(named: "out", in: pipeline, .waitWhenHolding(2))
            expansion = description.expandsRange ? try EncoderLine.expansion(for: caps) : nil
            try EncoderLine.stop(pipeline, whenLosing: tally, between: input, output)
            try await pipeline.play()
            self.pipeline = pipeline
            watch = EncoderLine.watch(pipeline)
        } catch {
            throw CaptureError(error, subject: "encoder")
        }
    }

    deinit { close() }

    func encode(_ sample: Sample) async throws(CaptureError) -> Sample {
        do throws(PipelineError) {
            try tally.count.withLock { count throws(PipelineError) in
                try push(sample)
                count += 1
            }
            guard let result = await output.nextSample() else {
                throw pipeline.bus.firstError ?? PipelineError(.flow, "the encoder gave no picture")
            }
            return result
        } catch {
            throw CaptureError(error, subject: "encoder")
        }
    }

    func close() {
        watch.cancel()
        pipeline.stopSoon()
    }

    /// An element that fails leaves the output waiting: stopping the pipeline ends the wait.
    private static func watch(_ pipeline: Pipeline) -> Task<Void, Never> {
        let messages = pipeline.bus.messages()
        return Task { [weak pipeline] in
            for await message in messages {
                if case .error = message.content { pipeline?.stopSoon() }
            }
        }
    }

    /// A decoder lets go of a frame that it cannot read, and says nothing. When the source asks for more, all that it
    /// gave has gone its way: a frame that has not come out by then never will.
    private static func stop(
        _ pipeline: Pipeline, whenLosing tally: Tally, between input: AppSource, _ output: AppSink
    ) throws(PipelineError) {
        try input.element.connect("need-data") { [weak pipeline, weak source = input.element] _ in
            tally.count.withLock { count in
                guard let waiting = try? source?.get("current-level-buffers", as: UInt64.self), waiting == 0 else {
                    return
                }
                if output.arrivalCount < count { pipeline?.stopSoon() }
            }
            return nil
        }
    }

    private func push(_ sample: Sample) throws(PipelineError) {
        guard let expansion, let frame = sample.buffer else { return try input.push(sample) }
        // The frame itself stays as it is: somebody else may hold it.
        let expanded: Buffer
        do {
            expanded = try expansion.pool.makeFrame { output in
                try frame.withVideoFrame(expansion.pool.info) { expansion.apply.apply(from: $0, to: &output) }
            }
        } catch {
            throw PipelineError(.map, "a frame cannot be read: \(error)")
        }
        try input.push(expanded)
    }

    private static func expansion(for caps: Caps) throws(PipelineError) -> (apply: RangeExpansion, pool: FramePool)? {
        guard let info = caps.videoInfo, let expansion = RangeExpansion(format: info.format) else { return nil }
        return (expansion, try FramePool(info))
    }
}
