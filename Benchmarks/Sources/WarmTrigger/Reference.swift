// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc
import PipelineKit

/// The two steps that every durable JPEG needs, each measured separately.
final class Reference {
    private let pipeline: Pipeline
    private let input: AppSource
    private let output: AppSink
    private let frame: Sample
    private let folder: ScratchFolder
    private var jpeg: [UInt8] = []
    private var number = 0

    init(_ folder: ScratchFolder, _ format: String) async throws {
        self.folder = folder
        frame = try await Self.frame(format)
        pipeline = try Pipeline("appsrc name=in ! jpegenc quality=90 ! appsink name=out sync=false")
        input = try AppSource(named: "in", in: pipeline, caps: frame.caps)
        output = try AppSink(named: "out", in: pipeline, .waitWhenHolding(2))
        try await pipeline.play()
        for _ in 0..<5 { _ = try await encode() }
    }

    /// Encodes one frame.
    func encode() async throws -> Duration {
        let start = PipelineClock.system.now
        try input.push(frame)
        guard let encoded = try await output.nextSample(), let buffer = encoded.buffer else {
            throw CaptureError(.software, "the encoder gave nothing")
        }
        let span = PipelineClock.system.now - start
        jpeg = try buffer.bytes()
        return span
    }

    /// Writes the same bytes durably to a file.
    func write() throws -> Duration {
        number += 1
        let (temporary, path) = ("\(folder.path)/reference.tmp", "\(folder.path)/reference-\(number).jpg")
        let start = PipelineClock.system.now
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard jpeg.withUnsafeBytes({ Glibc.write(file, $0.baseAddress, $0.count) }) == jpeg.count, fsync(file) == 0,
            close(file) == 0, rename(temporary, path) == 0
        else { throw CaptureError(.inputOutput, "the reference cannot be written") }
        let parent = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        fsync(parent)
        close(parent)
        return PipelineClock.system.now - start
    }

    func stop() async throws { try await pipeline.stop() }

    private static func frame(_ format: String) async throws -> Sample {
        let pipeline = try Pipeline(RunningCapture.scene(format) + " ! appsink name=out sync=false")
        let sink = try AppSink(named: "out", in: pipeline, .waitWhenHolding(1))
        try await pipeline.play()
        guard let sample = try await sink.nextSample() else { throw CaptureError(.software, "the scene gave nothing") }
        try await pipeline.stop()
        return sample
    }
}
