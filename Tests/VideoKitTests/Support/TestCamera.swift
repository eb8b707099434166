// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Synchronization
import Testing

@testable import PipelineKit
@testable import VideoKit

/// A camera whose frames a test delivers one by one.
final class TestCamera: Sendable {
    let outlet: FrameOutlet
    private let pipeline: Pipeline
    private let source: AppSource
    private let epoch = Mutex(ClockTime.zero)

    static let caps = "video/x-raw,format=I420,width=64,height=48,framerate=30/1"

    /// - Parameter elements: The elements between the source and the outlet, in gst-launch syntax.
    init(_ elements: String = "") throws {
        pipeline = try Pipeline("appsrc name=in is-live=true format=time ! \(elements) appsink name=out sync=false")
        source = try AppSource(named: "in", in: pipeline)
        outlet = try FrameOutlet(named: "out", in: pipeline)
    }

    /// Starts the camera. Time 0 of its frames is now.
    func start() async throws {
        try await pipeline.play()
        epoch.withLock { $0 = .now }
    }

    func stop() async {
        outlet.close()
        try? await pipeline.stop()
    }

    /// Returns the capture time of a frame.
    @Sendable func moment(_ sample: Sample) -> ClockTime { time((sample.presentationTime ?? .zero) - .zero) }

    /// Returns the moment of a time of the camera.
    func time(_ time: Duration) -> ClockTime { epoch.withLock { $0 } + time }

    /// Delivers a frame of this brightness.
    @discardableResult
    func deliver(_ level: UInt8, at time: Duration, _ caps: String = TestCamera.caps) throws -> Buffer {
        let caps = try Caps(caps)
        let count = try #require(caps.videoInfo).byteCount
        let buffer = try Buffer(
            repeatElement(level, count: count), presentationTime: .zero + time, flags: [])
        try source.push(Sample(buffer, caps: caps))
        return buffer
    }
}

/// Runs a camera and an encoder during a closure, and ends both even if the closure throws.
func encoding(
    _ description: VideoEncoder.Description, _ prepare: (Pipeline) throws(PipelineError) -> Void = { _ in },
    _ body: (TestCamera, VideoEncoder) async throws -> Void
) async throws {
    let camera = try TestCamera()
    let encoder = try VideoEncoder(description, of: camera.outlet, moment: camera.moment, prepare: prepare)
    try await encoder.start()
    try await camera.start()
    do {
        try await body(camera, encoder)
    } catch {
        await encoder.close()
        await camera.stop()
        throw error
    }
    await encoder.close()
    await camera.stop()
}

extension Buffer {
    /// The number of references to the memory, of which copies of the buffer hold some.
    var holderCount: Int {
        guard let memory = gst_buffer_peek_memory(pointer, 0) else { return 0 }
        return Int(memory.pointee.mini_object.refcount)
    }
}

extension EncodedReader {
    /// Waits for a unit, and fails at the end of the stream.
    func unit(sourceLocation: SourceLocation = #_sourceLocation) async throws -> EncodedUnit {
        try #require(try await next(), sourceLocation: sourceLocation)
    }
}

extension H264Encoder {
    /// The encoders in software that this machine has.
    static let installed = [H264Encoder.openH264, .x264].filter { GStreamer.hasElement($0.name) }

    /// Skips tests on machines without an encoder.
    static let isInstalled = ConditionTrait.enabled(
        if: !installed.isEmpty && GStreamer.hasElement("h264parse"), "openh264enc is missing; run scripts/setup test")
}

/// Decodes a key frame with GStreamer.
enum DecodedLuma {
    /// Returns the luma of the first pixel.
    static func first(of key: Sample) async throws -> Int {
        let pipeline = try Pipeline("appsrc name=in ! h264parse ! openh264dec ! appsink name=out sync=false")
        let (source, sink) = (
            try AppSource(named: "in", in: pipeline), try AppSink(named: "out", in: pipeline, .keepNewest(1))
        )
        try await pipeline.play()
        try source.push(key)
        try source.endStream()
        let frame = try #require(try await sink.nextSample()?.buffer)
        try await pipeline.stop()
        return try Int(frame.bytes()[0])
    }
}
