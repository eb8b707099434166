// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import Synchronization

/// A playing pipeline `appsrc ! … ! appsink`. Releasing the last reference stops it.
package final class EncoderLine: Sendable {
    private let pipeline: Pipeline
    private let input: AppSource
    private let output: AppSink
    private let expansion: (levels: RangeExpansion, pool: FramePool)?
    private let tally = Tally()

    /// The number of frames pushed.
    final class Tally: Sendable { let count = Mutex(0) }

    /// Builds and plays the pipeline, for frames of these caps.
    ///
    /// - Throws: ``CaptureError`` if an element is missing or does not start.
    package convenience init(_ description: EncoderDescription, _ caps: Caps) async throws(CaptureError) {
        try await self.init(description.text, caps, expandsRange: description.expandsRange)
    }

    /// Builds and plays a pipeline of these elements, for frames of these caps.
    ///
    /// - Parameter prepare: Changes the pipeline before it plays.
    /// - Throws: ``CaptureError`` if an element is missing or does not start, and the errors of `prepare`.
    package convenience init(
        elements: [String], _ caps: Caps, prepare: (Pipeline) throws(PipelineError) -> Void
    ) async throws(CaptureError) {
        try await self.init(EncoderDescription.text(of: elements), caps, prepare: prepare)
    }

    /// Builds and plays a pipeline of an encoder that works in the background, as drivers do. It may ask for the next
    /// frame before it has the result of the last one, so that a lost frame cannot be noticed: limit the time.
    ///
    /// - Throws: ``CaptureError`` if an element is missing or does not start.
    convenience init(encoder: String, _ caps: Caps, expandsRange: Bool) async throws(CaptureError) {
        try await self.init(
            EncoderDescription.text(of: [encoder]), caps, expandsRange: expandsRange, noticesLoss: false)
    }

    private init(
        _ text: String, _ caps: Caps, expandsRange: Bool = false, noticesLoss: Bool = true,
        prepare: (Pipeline) throws(PipelineError) -> Void = { _ in }
    ) async throws(CaptureError) {
        do {
            let pipeline = try Pipeline(text)
            input = try AppSource(named: "in", in: pipeline, caps: caps)
            output = try AppSink(named: "out", in: pipeline, .waitWhenHolding(2))
            expansion = expandsRange ? try EncoderLine.expansion(for: caps) : nil
            try prepare(pipeline)
            if noticesLoss { try EncoderLine.stop(pipeline, whenLosing: tally, between: input, output) }
            try await pipeline.play()
            self.pipeline = pipeline
        } catch {
            throw CaptureError(encoding: error)
        }
    }

    deinit { close() }

    /// Runs a frame through the elements, and waits for the result. Make one call at a time, because results are not
    /// matched to frames; close the pipeline after an error, because a late result could belong to the next frame.
    ///
    /// - Throws: ``CaptureError`` if an element failed or dropped the frame, if the pipeline is closed, or if the task
    ///   is canceled.
    package func encode(_ sample: Sample) async throws(CaptureError) -> Sample {
        do throws(PipelineError) {
            let frame = try expanded(sample)
            try tally.count.withLock { count throws(PipelineError) in
                if let frame { try input.push(frame) } else { try input.push(sample) }
                count += 1
            }
            guard let result = try await output.nextSample() else {
                throw PipelineError(.flow, "produced no picture")
            }
            return result
        } catch {
            throw CaptureError(encoding: error)
        }
    }

    /// Stops the pipeline in the background.
    package func close() { pipeline.stopSoon() }

    /// Stops the pipeline if a decoder drops a frame, as it does without an error for a frame that it cannot decode.
    /// When the source emits `need-data`, the elements have processed all earlier frames: a missing result was dropped.
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

    /// Returns a copy with full levels, since other code may hold the frame; `nil` if the frame needs none.
    private func expanded(_ sample: Sample) throws(PipelineError) -> Buffer? {
        guard let expansion, let frame = sample.buffer else { return nil }
        do {
            return try expansion.pool.makeFrame { output in
                try frame.withVideoFrame(expansion.pool.info) { try expansion.levels.apply(from: $0, to: &output) }
            }
        } catch {
            throw PipelineError(.map, "a frame cannot be read: \(error)")
        }
    }

    private static func expansion(for caps: Caps) throws(PipelineError) -> (levels: RangeExpansion, pool: FramePool)? {
        guard let info = caps.videoInfo, let expansion = RangeExpansion(format: info.format) else { return nil }
        return (expansion, try FramePool(info))
    }
}
