// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import StillKit
import Testing

@Suite("Encoding frames as stills", .timeLimit(.minutes(5)))
struct StillEncoderTests {
    @Test(
        "Raw stills and PNG are turned pixel by pixel, and their orientation is then upright",
        arguments: OrientationTests.all)
    func exactPixels(rotation: Rotation, flip: Flip) async throws {
        let picture = RGBPicture.distinct(13, 7)
        let wanted = picture.turned(rotation).mirrored(flip)
        let orientation = Orientation(rotation: rotation, flip: flip)
        let raw = try await encode(picture.sample(), .raw, orientation)
        #expect(try RGBPicture(raw.bytes, #require(raw.info)) == wanted)
        #expect(raw.orientation == .upright)
        let png = try await encode(picture.sample(), .png, orientation)
        #expect(try await RGBPicture(decoding: png.bytes, .png) == wanted)
        #expect(png.orientation == .upright)
    }

    @Test("JPEG and WebP stills are turned, within the tolerance of their compression", arguments: Orientation.allCases)
    func inexactPixels(orientation: Orientation) async throws {
        // Large squares of flat colors survive any encoder.
        let picture = RGBPicture(width: 96, height: 64) { x, y in
            [x < 48 ? 40 : 220, y < 32 ? 50 : 200, x < 32 && y < 32 ? 230 : 90]
        }
        let wanted = picture.shown(byExif: orientation.rawValue)
        for format in [StillFormat.jpeg, .webp] {
            let still = try await encode(picture.sample(), format, orientation)
            let read = try await RGBPicture(decoding: still.bytes, format)
            #expect(still.orientation == .upright)
            #expect((read.width, read.height) == (wanted.width, wanted.height))
            let corners = [
                (8, 8), (wanted.width - 9, 8), (8, wanted.height - 9), (wanted.width - 9, wanted.height - 9),
            ]
            for (x, y) in corners {
                let distance = read[x, y].distance(to: wanted[x, y])
                #expect(distance < 16, "\(format) at \(x), \(y): \(read[x, y]), not \(wanted[x, y])")
            }
        }
    }

    @Test("A warm-up for frames of another size does not damage the frame that is being encoded")
    func warmUp() async throws {
        let frame = try await Sample.made(by: "videotestsrc num-buffers=1 ! video/x-raw,width=48,height=32")
        let larger = try await Sample.made(by: "videotestsrc num-buffers=1 ! video/x-raw,width=64,height=32")
        let (warm, other) = (WarmEncoder(), try #require(larger.caps))
        for _ in 0..<20 {
            async let picture = warm.encode(frame)
            async let isWarm: Void = warm.prepare(for: other)
            #expect(try await picture.starts(with: [0xFF, 0xD8]))
            try await isWarm
        }
    }

    @Test(
        "A JPEG frame is not encoded again, and the still has the requested orientation",
        arguments: Orientation.allCases)
    func passThrough(orientation: Orientation) async throws {
        let frame = try await Sample.made(by: "videotestsrc num-buffers=1 ! video/x-raw,width=48,height=32 ! jpegenc")
        let still = try await encode(frame, .jpeg, orientation)
        #expect(try still.bytes == frame.buffer?.bytes())
        #expect(still.orientation == orientation)
    }

    @Test("A JPEG frame is decoded and turned for a PNG")
    func decoding() async throws {
        let frame = try await Sample.made(by: "videotestsrc num-buffers=1 ! video/x-raw,width=48,height=32 ! jpegenc")
        let upright = try await RGBPicture(decoding: encode(frame, .png, .upright).bytes, .png)
        let turned = try await encode(frame, .png, .turnedRight)
        #expect(turned.orientation == .upright)
        let read = try await RGBPicture(decoding: turned.bytes, .png)
        #expect((read.width, read.height) == (upright.height, upright.width))
        // Chroma is interpolated again, so that pixels are only similar.
        let wanted = upright.turnedClockwise
        let differing = zip(read.pixels, wanted.pixels).filter { $0.distance(to: $1) > 24 }
        #expect(differing.count < read.pixels.count / 10)
    }

    @Test(
        "Every camera format can be turned in every encoding",
        arguments: [
            "YUY2", "UYVY", "YVYU", "NV12", "NV21", "NV16", "I420", "YV12", "Y42B", "Y41B", "Y444", "GRAY8",
            "GRAY16_LE",
            "RGB", "BGR", "BGRx", "RGBA", "NV61", "NV24", "P010_10LE", "RGB16",
        ])
    func formats(format: String) async throws {
        let frame = try await Sample.made(
            by:
                "videotestsrc num-buffers=1 pattern=blue ! video/x-raw,width=34,height=18 ! videoconvert ! video/x-raw,format=\(format)"
        )
        for still in StillFormat.allCases {
            let encoded = try await encode(frame, still, .turnedRight)
            #expect(encoded.orientation == .upright)
            guard still != .raw else {
                #expect(encoded.info?.width == 18)
                continue
            }
            let picture = try await RGBPicture(decoding: encoded.bytes, still)
            #expect((picture.width, picture.height) == (18, 34))
            let (red, green, blue) = (picture[9, 17][0], picture[9, 17][1], picture[9, 17][2])
            if format.hasPrefix("GRAY") {
                #expect(max(red, green, blue) - min(red, green, blue) < 8)
            } else {
                #expect(red < 16 && green < 16 && blue > 239, "\(still): \(picture[9, 17])")
            }
        }
    }

    @Test(
        "Video levels become JPEG's full levels, and the frame itself is not modified",
        arguments: ["I420", "YUY2", "NV12", "GRAY8", "Y42B"], [Orientation.upright, .turnedLeft])
    func levels(format: String, orientation: Orientation) async throws {
        for (pattern, level) in [("black", 0), ("white", 255)] {
            let frame = try await Sample.made(
                by:
                    "videotestsrc num-buffers=1 pattern=\(pattern) ! video/x-raw,format=\(format),width=32,height=16,colorimetry=(string)2:4:5:1"
            )
            let before = try frame.buffer?.bytes()
            let still = try await encode(frame, .jpeg, orientation)
            let picture = try await RGBPicture(decoding: still.bytes, .jpeg)
            #expect(
                picture.pixels.allSatisfy { $0.distance(to: RGBPicture.Pixel(repeating: UInt8(level))) <= 2 },
                "\(picture[3, 3])")
            #expect(try frame.buffer?.bytes() == before)
        }
    }

    @Test("Gray video levels become full levels in every encoding")
    func grayLevels() async throws {
        let caps = try Caps("video/x-raw,format=GRAY8,width=16,height=16,framerate=0/1,colorimetry=(string)2:4:5:1")
        for (level, wanted) in [(16, RGBPicture.Pixel()), (235, RGBPicture.Pixel(repeating: 255))] {
            let frame = Sample(
                try Buffer([UInt8](repeating: UInt8(level), count: 256), presentationTime: .zero), caps: caps)
            for format in [StillFormat.jpeg, .png, .webp] {
                let still = try await encode(frame, format, .upright)
                let read = try await RGBPicture(decoding: still.bytes, format)[3, 3]
                #expect(read.distance(to: wanted) <= 2, "\(format): \(read), not \(wanted)")
            }
        }
    }

    @Test("An encoder encodes each frame in its own size")
    func changingFormat() async throws {
        let encoder = StillEncoder(format: .png, quality: 90, orientation: .upright)
        defer { encoder.close() }
        for (width, height) in [(5, 3), (9, 4), (9, 4), (5, 3)] {
            let picture = RGBPicture.distinct(width, height)
            let still = try await encoder.encode(picture.sample())
            #expect(try await RGBPicture(decoding: still.bytes, .png) == picture)
        }
    }

    @Test(
        "Colors are right for every matrix and range of the frame, in every encoding",
        arguments: ["I420", "NV12", "YUY2", "Y444", "NV16", "NV24"],
        ["bt601", "bt709", "1:4:0:0", "1:3:5:1", "2:4:5:1"])
    func colorimetry(format: String, colorimetry: String) async throws {
        let wanted: RGBPicture.Pixel = [235, 25, 100]
        let picture = RGBPicture(width: 32, height: 16) { _, _ in wanted }
        let info = try #require(
            Caps("video/x-raw,format=\(format),width=32,height=16,framerate=0/1,colorimetry=(string)\(colorimetry)")
                .videoInfo)
        let frame = try picture.sample(info)
        for format in [StillFormat.jpeg, .png, .webp] {
            let still = try await encode(frame, format, .upright)
            let read = try await RGBPicture(decoding: still.bytes, format)[15, 7]
            #expect(read.distance(to: wanted) <= 8, "\(format): \(read), not \(wanted)")
        }
    }

    @Test(
        "Data that is not a picture is refused, and the next picture is encoded", arguments: StillFormat.allCases)
    func refusing(format: StillFormat) async throws {
        let encoder = StillEncoder(format: format, quality: 90, orientation: .turnedRight)
        defer { encoder.close() }
        let picture = RGBPicture.distinct(20, 30)
        let text = Sample(try Buffer(Array("text".utf8), presentationTime: .zero), caps: try Caps("text/x-raw"))
        await #expect(throws: CaptureError.self) { try await encoder.encode(text) }
        let short = Sample(
            try Buffer([1, 2, 3], presentationTime: .zero), caps: try #require(picture.sample().caps))
        await #expect(throws: CaptureError.self) { try await encoder.encode(short) }
        if format != .jpeg {
            let broken = Sample(
                try Buffer(Array("no picture".utf8), presentationTime: .zero), caps: try Caps("image/jpeg"))
            await #expect(throws: CaptureError.self) { try await encoder.encode(broken) }
        }
        let still = try await encoder.encode(picture.sample())
        #expect(still.orientation == .upright)
        #expect(still.bytes.count >= 45)
    }

    @Test("A JPEG frame that is truncated anywhere produces a picture or an error, and never blocks")
    func cutOff() async throws {
        let frame = try await Sample.made(by: "videotestsrc num-buffers=1 ! video/x-raw,width=48,height=32 ! jpegenc")
        let (bytes, caps) = (try #require(try frame.buffer?.bytes()), try #require(frame.caps))
        let encoder = StillEncoder(format: .raw, quality: 90, orientation: .upright)
        defer { encoder.close() }
        var results = (pictures: 0, errors: 0)
        for length in stride(from: 1, to: bytes.count, by: 29) {
            let cut = Sample(try Buffer(bytes[..<length], presentationTime: .zero), caps: caps)
            do {
                _ = try await encoder.encode(cut)
                results.pictures += 1
            } catch {
                results.errors += 1
            }
        }
        #expect(results.errors > 0)
        #expect(try await encoder.encode(frame).info?.width == 48)
    }

    @Test("A JPEG frame with wrong bytes produces a picture or an error, and never blocks")
    func wrongBytes() async throws {
        let frame = try await Sample.made(by: "videotestsrc num-buffers=1 ! video/x-raw,width=48,height=32 ! jpegenc")
        let (bytes, caps) = (try #require(try frame.buffer?.bytes()), try #require(frame.caps))
        let encoder = StillEncoder(format: .raw, quality: 90, orientation: .upright)
        defer { encoder.close() }
        var generator = SplitMix(1)
        for _ in 0..<300 {
            let wrong = Sample(try Buffer(bytes.mutated(&generator), presentationTime: .zero), caps: caps)
            _ = try? await encoder.encode(wrong)
        }
        #expect(try await encoder.encode(frame).info?.width == 48)
    }

    private func encode(
        _ sample: Sample, _ format: StillFormat, _ orientation: Orientation
    ) async throws -> StillEncoder.Encoded {
        let encoder = StillEncoder(format: format, quality: 95, orientation: orientation)
        defer { encoder.close() }
        return try await encoder.encode(sample)
    }
}

/// An encoder whose calls may interleave, as a writer's calls do.
private actor WarmEncoder {
    private let encoder = StillEncoder(format: .jpeg, quality: 90, orientation: .upright)

    func prepare(for caps: Caps) async throws { try await encoder.prepare(for: caps) }

    func encode(_ frame: Sample) async throws -> [UInt8] { try await encoder.encode(frame).bytes }
}
