// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import FilmKit
import Foundation
import PipelineKit
import StillKit
import Testing

extension WallTime {
    /// A moment of the tests, in seconds after the first one.
    static func film(_ seconds: Int64) -> WallTime {
        WallTime(seconds: 1_760_000_000 + seconds, nanoseconds: 0, utcOffset: 7200)
    }
}

extension FilmPicture {
    /// A picture that no file has.
    static func made(
        _ name: String, at seconds: Int64? = nil, size: FrameSize = FrameSize(width: 640, height: 480),
        camera: String? = nil, slot: Int? = nil
    ) -> FilmPicture {
        var picture = FilmPicture(
            path: "/pictures/" + name, name: name,
            moment: Moment(.film(seconds ?? 0), seconds == nil ? .file : .capture), size: size)
        picture.camera = camera
        picture.slot = slot.map { Slot(series: 1, index: $0) }
        return picture
    }
}

/// A folder with JPEG files of a moving ball.
struct MadePictures {
    let folder: TemporaryFolder
    var path: String { folder.path }

    /// Makes an empty folder.
    init() throws { folder = try TemporaryFolder() }

    /// Makes a folder with pictures 10 s apart.
    init(_ count: Int, width: Int = 64, height: Int = 48) async throws {
        try self.init()
        for (place, bytes) in try await Self.frames(count, width: width, height: height).enumerated() {
            try add(Self.name(place), bytes, at: Int64(place) * 10)
        }
    }

    static func name(_ place: Int) -> String { "frame\(place).jpg" }

    /// The bytes of pictures without tags.
    static func frames(
        _ count: Int, width: Int = 64, height: Int = 48, format: String = "I420"
    ) async throws -> [[UInt8]] {
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=\(count) pattern=ball ! video/x-raw,format=\(format),width=\(width),"
                + "height=\(height),framerate=30/1 ! jpegenc ! appsink name=out sync=false")
        let sink = try AppSink(named: "out", in: pipeline, .waitWhenHolding(4))
        try await pipeline.play()
        var frames: [[UInt8]] = []
        while let sample = try await sink.nextSample() { frames.append(try #require(sample.buffer).bytes()) }
        try await pipeline.stop()
        return frames
    }

    /// The bytes of a gray picture of 320x240 with this luma, from 16 to 235, without tags.
    static func gray(luma: Int) async throws -> [UInt8] {
        let color = 0xFF00_0000 + (luma - 16) * 255 / 219 * 0x01_0101
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=1 pattern=solid-color foreground-color=\(color) ! "
                + "video/x-raw,format=I420,width=320,height=240 ! jpegenc ! appsink name=out sync=false")
        let sink = try AppSink(named: "out", in: pipeline, .waitWhenHolding(1))
        try await pipeline.play()
        let bytes = try #require(await sink.nextSample()?.buffer).bytes()
        try await pipeline.stop()
        return bytes
    }

    /// Adds a picture with tags.
    func add(
        _ name: String, _ bytes: [UInt8], at seconds: Int64? = nil, camera: String? = nil,
        orientation: Orientation = .upright
    ) throws {
        let head = try #require(PictureHead(bytes))
        var metadata = StillMetadata(captured: .film(seconds ?? 0), width: head.width, height: head.height)
        (metadata.make, metadata.model, metadata.orientation) = ("Maker", camera, orientation)
        try write(name, seconds == nil ? bytes : metadata.embedded(in: bytes, .jpeg))
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let url = URL(filePath: path + "/" + name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    func bytes(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(filePath: path + "/" + name))) }
}
