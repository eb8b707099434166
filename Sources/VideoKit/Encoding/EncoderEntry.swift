// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization
import SystemBase

/// Passes frames of a camera to the pipeline of an encoder, on the streaming threads of both.
///
/// It holds at most one frame besides the one that is encoded. A frame that waits is copied if the camera waits for its
/// buffer.
final class EncoderEntry: Sendable {
    private struct Frame: Sendable {
        let sample: Sample
        let time: ClockTime

        func keepable() -> Frame { Frame(sample: sample.keepable(), time: time) }
    }

    private struct State {
        var gate = FrameGate<Frame>()
        var limit: FrameRateLimit
        var format: FrameFormat
        var lastTime: ClockTime?
        var isOpen = true
    }

    private let source: AppSource
    private let parser: Pad
    private let outlet: EncodedOutlet
    /// `true` if the frames are encoded already: none can be dropped, as later ones depend on it.
    private let isEncoded: Bool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - source: The start of the pipeline, which must not play yet.
    ///   - parser: The pad that receives the encoder's output.
    init(
        _ source: AppSource, parser: Pad, _ outlet: EncodedOutlet, isEncoded: Bool, rate: Double?
    ) throws(PipelineError) {
        (self.source, self.parser, self.outlet, self.isEncoded) = (source, parser, outlet, isEncoded)
        state = Mutex(State(limit: FrameRateLimit(isEncoded ? nil : rate), format: FrameFormat(rate: rate)))
        try source.element.connect("need-data") { [weak self] _ in
            self?.becomeReady()
            return nil
        }
    }

    /// The number of frames that were dropped because the encoder was too slow.
    var droppedCount: Int { state.withLock { $0.gate.droppedCount } }

    /// Receives a frame of the camera with its capture time.
    func receive(_ sample: Sample, at time: ClockTime) {
        // Damaged frames are dropped; the next one arrives soon.
        guard let buffer = sample.buffer, isEncoded || !buffer.isCorrupted else { return }
        let frame = Frame(sample: sample, time: time)
        state.withLock { state in
            // Encoders need times that advance.
            guard state.isOpen, state.lastTime.map({ $0 < frame.time }) ?? true, state.limit.accepts(frame.time) else {
                return
            }
            state.lastTime = frame.time
            if isEncoded {
                _ = source.relay(sample.keepable(), at: frame.time)
            } else if let ready = state.gate.receive(frame, keep: { $0.keepable() }) {
                push(ready, &state)
            }
        }
    }

    /// Queues a frame that was kept. None is dropped: the limit of the rate is for frames of a camera.
    func queue(_ sample: Sample, at time: ClockTime) {
        state.withLock { state in
            guard state.isOpen else { return }
            _ = source.relay(sample, caps: sample.caps.map { state.format.caps(for: $0) }, at: time)
        }
    }

    /// Discards all later frames.
    func close() {
        state.withLock { state in
            state.isOpen = false
            state.gate.clear()
        }
    }

    /// Runs when the source has no frame, on its streaming thread.
    private func becomeReady() {
        state.withLock { state in
            // A frame may have been pushed since: GStreamer holds no lock while it emits the signal.
            guard state.isOpen, source.pendingCount == 0, let frame = state.gate.becomeReady() else { return }
            push(frame, &state)
        }
    }

    private func push(_ frame: Frame, _ state: inout State) {
        if outlet.takeKeyFrameRequest(at: frame.time) { parser.requestKeyFrame() }
        // A frame that was captured before the pipeline played is discarded, and the encoder is still ready.
        let caps = frame.sample.caps.map { state.format.caps(for: $0) }
        if !source.relay(frame.sample, caps: caps, at: frame.time) { _ = state.gate.becomeReady() }
    }
}

extension Sample {
    /// `true` if decoding can begin with this access unit.
    var isKey: Bool { buffer.map { !$0.flags.contains(.deltaUnit) } ?? false }

    /// Returns a sample that can be held for long: a copy if its producer waits for the buffer, unless memory is short.
    package func keepable() -> Sample {
        guard let buffer, let caps, buffer.isScarce, let copy = try? buffer.copied() else { return self }
        return Sample(copy, caps: caps)
    }
}
