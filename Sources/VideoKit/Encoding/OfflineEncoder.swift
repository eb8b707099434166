// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import Synchronization
import SystemBase

/// How an encoder of H.264 encodes pictures that wait for it: with look-ahead and B-frames if it has them.
package struct OfflineSettings: Sendable, Hashable {
    /// The value that an encoder keeps constant.
    package enum Target: Sendable, Hashable {
        /// The quality, by x264's rate factor: 0 lossless to 51; 23 is its usual one.
        case quality(Int)
        /// Bits per second on average.
        case bitRate(Int)
    }

    /// The number of frames from one key frame to the next, at most: the usual one of x264.
    package static let usualKeyInterval = 250

    package var target: Target
    package var keyInterval = usualKeyInterval
    /// The threads of an encoder in software; 0 leaves the number to the encoder.
    package var threads = 0

    /// Creates settings.
    package init(_ target: Target) { self.target = target }
}

extension H264Encoder {
    /// `true` if the encoder can keep the quality constant.
    package var keepsQuality: Bool { self == .x264 }

    /// `true` if each frame leaves the encoder before it waits for the next. OpenH264 reports an error when it is drained.
    var isImmediate: Bool { self == .openH264 }

    /// `true` if the encoder copies a frame before it returns to its caller. libx264 does, but x264enc holds the frame until
    /// its unit is complete: about 20 frames later.
    var copiesFrames: Bool { self == .x264 }

    /// The elements that encode raw video of I420 or NV12 with all time that they need, in gst-launch syntax.
    func elements(_ settings: OfflineSettings) -> [String] {
        let frames = settings.keyInterval
        let (bits, quality): (Int, Int) =
            switch settings.target {
            case .bitRate(let bits): (bits, 23)
            case .quality(let quality): (20_000_000, quality)
            }
        let kilobits = max(1, (bits + 999) / 1000)
        let element =
            switch self {
            case .camera: ""
            case .v4l2:
                "v4l2h264enc name=\(Self.elementName) extra-controls=\"controls,video_bitrate=\(bits),"
                    + "video_bitrate_mode=0,h264_i_frame_period=\(frames),video_gop_size=\(frames),"
                    + "repeat_sequence_header=1\" ! video/x-h264,level=(string)4"
            case .va:
                "vah264enc name=\(Self.elementName) bitrate=\(kilobits) rate-control=vbr "
                    + "key-int-max=\(min(frames, 1024))"
            case .vaapi:
                "vaapih264enc name=\(Self.elementName) bitrate=\(kilobits) rate-control=vbr keyframe-period=\(frames)"
            case .openH264:
                "openh264enc name=\(Self.elementName) complexity=medium rate-control=bitrate bitrate=\(bits) "
                    + "gop-size=\(frames) multi-thread=\(max(1, settings.threads)) "
                    + "num-slices=\(max(1, settings.threads))"
            case .x264:
                "x264enc name=\(Self.elementName) speed-preset=veryfast key-int-max=\(frames) "
                    + "threads=\(settings.threads) " + x264Rate(settings.target, quality, kilobits)
            }
        return ["videoconvert", "video/x-raw,format=(string){I420,NV12}", element]
    }

    /// Without a buffer of 0, x264enc keeps to its bit rate also in the mode of quality.
    private func x264Rate(_ target: OfflineSettings.Target, _ quality: Int, _ kilobits: Int) -> String {
        switch target {
        case .quality: "pass=qual quantizer=\(quality) vbv-buf-capacity=0"
        case .bitRate: "pass=cbr bitrate=\(kilobits) vbv-buf-capacity=2000"
        }
    }
}

/// Encodes pictures as H.264, as fast as the encoder can, and drops none:
///
///     appsrc ! videoconvert ! encoder ! h264parse ! appsink
///
/// One task pushes frames, while another one takes the units. The first unit is a key frame, and no unit depends on frames
/// of another encoder: with the same frames and settings, OpenH264 makes the same units. x264 reads memory that it has not
/// written, so that single bits of its units can differ.
package final class OfflineEncoder: Sendable {
    /// An encoded picture.
    package struct Unit: Sendable {
        package let bytes: [UInt8]
        /// The place of the picture in the order of the frames, from 0. Units come in the order in which they are decoded.
        package let place: Int
        /// `true` if decoding can begin here.
        package let isKey: Bool
        package let caps: Caps
    }

    private struct State {
        var pushed = 0
        var taken = 0
        var hasEnded = false
        var isStopped = false
        /// Stops the pipeline if it does not return the last frames.
        var watch: Task<Void, Never>?
    }

    /// How long an encoder may take for its last frames. An encoder in software needs less than a second for each.
    private static let patience = Duration.seconds(120)

    private let pipeline: Pipeline
    private let source: AppSource
    private let sink: AppSink
    private let rate: Fraction
    private let isImmediate: Bool
    private let state = Mutex(State())
    /// Wakes the task that waits for units, when there is one in the encoder, or none will follow.
    private let wakeup = Wakeup()

    /// Creates an encoder that does not run yet.
    ///
    /// - Parameters:
    ///   - caps: Raw video of I420 with a frame rate, an even width and an even height.
    /// - Throws: `PipelineError` if an element is missing, or the caps have no frame rate.
    package init(_ encoder: H264Encoder, _ settings: OfflineSettings, _ caps: Caps) throws(PipelineError) {
        guard let rate: Fraction = caps.structures.first?["framerate"], rate.numerator > 0, rate.denominator > 0 else {
            throw PipelineError(.syntax, "the frames have no rate: \(caps)")
        }
        let text =
            ["appsrc name=\(VideoEncoder.entryName) format=time max-bytes=0 max-buffers=1"]
            + encoder.elements(settings) + VideoEncoder.exit
        pipeline = try Pipeline(text.joined(separator: " ! "))
        source = try AppSource(named: VideoEncoder.entryName, in: pipeline, caps: caps)
        sink = try AppSink(named: VideoEncoder.exitName, in: pipeline, .waitWhenHolding(8))
        (self.rate, isImmediate) = (rate, encoder.isImmediate)
        if encoder.copiesFrames { try Self.discardCopied(in: pipeline) }
    }

    /// Discards the bytes of each frame when the next one reaches the encoder: on this thread, the encoder has then copied
    /// the frame.
    private static func discardCopied(in pipeline: Pipeline) throws(PipelineError) {
        let last = Mutex<Buffer?>(nil)
        try pipeline.element(named: H264Encoder.elementName).pad("sink")?.probeBuffers { buffer in
            let next = buffer.retained()
            let copied = last.withLock { last in
                defer { last = next }
                return last
            }
            // A frame that repeats is the same memory.
            if let copied, !copied.sharesMemory(with: next) { copied.discardBytes() }
            return .pass
        }
    }

    /// Starts the pipeline.
    package func start() async throws(PipelineError) { try await pipeline.play() }

    /// Passes the next frame on, as soon as there is room for it. The caller must not read it later, as its bytes are
    /// discarded, and may pass it again only if no other frame came between.
    ///
    /// - Returns: `false` if the task was canceled, or the encoder was stopped.
    package func push(_ frame: consuming Buffer) async throws(PipelineError) -> Bool {
        guard try await source.waitForDemand() else { return false }
        let place = state.withLock { state in
            defer { state.pushed += 1 }
            return state.pushed
        }
        let (time, next) = (time(of: place), time(of: place + 1))
        try source.push(
            try frame.stamped(at: time, duration: ClockTime(nanoseconds: next.nanoseconds - time.nanoseconds)))
        wakeup.signal()
        return true
    }

    /// Ends the frames: the units of all frames so far follow. They must be at least one.
    package func finish() throws(PipelineError) {
        let watch = Task { [pipeline] in
            // A driver that hangs reports nothing: stopping its pipeline ends the wait.
            guard (try? await Task.sleep(for: Self.patience, clock: .suspending)) != nil else { return }
            pipeline.stopSoon()
        }
        state.withLock { ($0.hasEnded, $0.watch) = (true, watch) }
        if !isImmediate { try source.endStream() }
        wakeup.signal()
    }

    /// Waits for the next unit; `nil` after the last one, after ``stop()``, and when the task is canceled.
    ///
    /// - Throws: The error that ended the encoder; `deadline` if it does not return the last frames.
    package func next() async throws(PipelineError) -> Unit? {
        while !Task.isCancelled {
            let signals = wakeup.signals
            let state = state.withLock { $0 }
            if state.isStopped { return nil }
            if state.taken < state.pushed { return try await unit() }
            if state.hasEnded {
                state.watch?.cancel()
                return nil
            }
            await wakeup.wait(after: signals)
        }
        return nil
    }

    private func unit() async throws(PipelineError) -> Unit? {
        guard let sample = try await sink.nextSample() else {
            if Task.isCancelled || state.withLock({ $0.isStopped }) { return nil }
            throw PipelineError(.deadline, "the encoder has lost frames")
        }
        state.withLock { $0.taken += 1 }
        guard let caps = sample.caps, let time = sample.runningTime, let bytes = try? sample.buffer?.bytes() else {
            throw PipelineError(.stream, "the encoder's stream has no times")
        }
        return Unit(bytes: bytes, place: place(at: time), isKey: sample.isKey, caps: caps)
    }

    /// Stops the pipeline. Frames in it are discarded.
    package func stop() async {
        state.withLock { state in
            state.isStopped = true
            state.watch?.cancel()
        }
        wakeup.signal()
        try? await pipeline.stop(deadline: .seconds(10))
    }

    private func time(of place: Int) -> ClockTime {
        let second = 1_000_000_000.0 * Double(rate.denominator) / Double(rate.numerator)
        return ClockTime(nanoseconds: UInt64((Double(place) * second).rounded()))
    }

    private func place(at time: ClockTime) -> Int {
        Int((Double(time.nanoseconds) / 1e9 * Double(rate.numerator) / Double(rate.denominator)).rounded())
    }
}
