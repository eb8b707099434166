// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import Foundation
import PipelineKit
import StillKit
import Testing

/// A camera that repeats eight frames of noise, at most 33 a second.
package struct RepeatingCamera: Sendable {
    /// The format of the frames, raw or JPEG; stills of this format contain the same bytes.
    package let format: StillFormat
    /// A configuration that agrees with all others.
    package let configuration: CaptureConfiguration
    private let folder: TemporaryFolder
    private let frames: Set<[UInt8]>

    private static let (width, height) = (64, 48)

    package init(_ format: StillFormat) async throws {
        self.format = format
        folder = try TemporaryFolder(isInMemory: true)
        var frames: Set<[UInt8]> = []
        for index in 0..<8 {
            let frame = try await Self.frame(format, index)
            try Data(frame).write(to: URL(filePath: "\(folder.path)/\(index)"))
            frames.insert(frame)
        }
        self.frames = frames
        let caps = format == .jpeg ? "image/jpeg" : "video/x-raw,format=I420,width=\(Self.width),height=\(Self.height)"
        // The files have no times; `identity` paces them.
        let source =
            "multifilesrc location=\(folder.path)/%d start-index=0 stop-index=7 loop=true do-timestamp=true"
            + " caps=\(caps),framerate=30/1 ! identity sleep-time=30000"
        var configuration = CaptureConfiguration(source: .fragment(source), output: .caller)
        configuration.request.format = format == .jpeg ? "mjpeg" : "I420"
        // A busy machine must not look like a camera that stalls.
        (configuration.settle, configuration.stallLimit) = (.off, .seconds(300))
        self.configuration = configuration
    }

    private static func frame(_ format: StillFormat, _ index: Int) async throws -> [UInt8] {
        var noise = SplitMix(UInt64(index))
        func byte() -> UInt8 { .random(in: 0...255, using: &noise) }
        guard format == .jpeg else { return (0..<width * height * 3 / 2).map { _ in byte() } }
        let picture = RGBPicture(width: width, height: height) { _, _ in [byte(), byte(), byte()] }
        let jpeg = try await picture.sample().through("videoconvert ! video/x-raw,format=I420 ! jpegenc")
        return try #require(jpeg.buffer).bytes()
    }

    /// Returns `true` if the content of a still's file is a frame of the camera, with upright EXIF tags if it is a JPEG.
    package func hasServed(_ bytes: [UInt8]) throws -> Bool {
        guard format == .jpeg else { return frames.contains(bytes) }
        let file = try JPEGFile(bytes)
        let orientation = ExifBlock(ofFile: bytes, .jpeg)?.orientation
        return file.exifCount == 1 && orientation == .upright && frames.contains(file.withoutExif().bytes)
    }
}
