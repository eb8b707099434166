// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import StillKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A raw frame as JPEG` {
    /// A format, with the sampling factors of luma that its JPEG has.
    struct Format: Sendable, CustomTestStringConvertible {
        let name: String
        let sampling: UInt8
        var testDescription: String { name }
    }

    private static let formats = [
        Format(name: "I420", sampling: 0x22), Format(name: "YV12", sampling: 0x22),
        Format(name: "NV12", sampling: 0x22), Format(name: "NV21", sampling: 0x22),
        Format(name: "Y42B", sampling: 0x21), Format(name: "YUY2", sampling: 0x21),
        Format(name: "YVYU", sampling: 0x21), Format(name: "UYVY", sampling: 0x21),
        Format(name: "Y41B", sampling: 0x41), Format(name: "Y444", sampling: 0x11),
        Format(name: "GRAY8", sampling: 0x11),
    ]

    private static func source(_ format: Format, _ width: Int, _ height: Int, _ colors: String) -> String {
        "videotestsrc num-buffers=1 pattern=smpte75 ! video/x-raw,format=RGB,width=\(width),height=\(height) "
            + "! videoconvert ! video/x-raw,format=\(format.name),colorimetry=\(colors)"
    }

    private static func frame(
        _ format: Format, _ width: Int, _ height: Int, _ colors: String = full
    ) async throws -> Sample {
        try await Sample.made(by: source(format, width, height, colors))
    }

    /// BT.601 with full levels, as in JFIF.
    private static let full = "1:4:0:0"
    private static let sizes = [(64, 48), (72, 40), (146, 74), (34, 17)]

    /// Checks that two pictures look the same. Encoders fill the last blocks at the edges with different bytes.
    private static func expectSame(_ one: [UInt8], _ other: [UInt8], _ what: String) throws {
        let (one, other) = (try pixels(one, .jpeg), try pixels(other, .jpeg))
        #expect(one.count == other.count, "\(what)")
        let differences = zip(one, other).map { one, other in
            (0..<3).map { abs(Int(one[$0]) - Int(other[$0])) }.max() ?? 0
        }
        #expect(differences.sorted()[differences.count / 2] <= 4, "\(what)")
        let far = differences.count { $0 > 12 }
        #expect(far * 10 <= differences.count, "\(what): \(far) of \(differences.count) pixels")
    }

    private static func encoded(_ frame: Sample, _ format: StillFormat) async throws -> [UInt8] {
        let encoder = StillEncoder(format: format, quality: 95, orientation: .upright)
        defer { encoder.close() }
        return try await encoder.encode(frame).bytes
    }

    private static func pixels(_ bytes: [UInt8], _ format: StillFormat) throws -> [SIMD4<UInt8>] {
        var pixels: [SIMD4<UInt8>] = []
        try PictureFile(bytes, format).decode(isStrict: true, until: CancelFlag()) { row, _ in pixels += row }
        return pixels
    }

    @Test(arguments: formats)
    func `A frame of any size has the same colors as from GStreamer's encoder`(format: Format) async throws {
        for (width, height) in Self.sizes {
            let reference = try await Sample.made(
                by: Self.source(format, width, height, Self.full) + " ! jpegenc quality=95")
            let own = try await Self.encoded(try await Self.frame(format, width, height), .jpeg)
            try Self.expectSame(own, try #require(reference.buffer).bytes(), "\(width)x\(height)")
        }
    }

    @Test(arguments: formats)
    func `A frame of video levels has the same colors as one of full levels`(format: Format) async throws {
        for (width, height) in Self.sizes {
            let full = try await Self.encoded(try await Self.frame(format, width, height), .jpeg)
            let video = try await Self.encoded(try await Self.frame(format, width, height, "bt601"), .jpeg)
            try Self.expectSame(full, video, "\(width)x\(height)")
        }
    }

    @Test(arguments: formats) func `A frame keeps its chroma as it is`(format: Format) async throws {
        let jpeg = try JPEGFile(try await Self.encoded(try await Self.frame(format, 64, 48), .jpeg))
        let header = try #require(jpeg.segments.first { $0.marker == 0xC0 }?.content)
        #expect(header[7] == format.sampling)
        #expect(header[5] == (format.name == "GRAY8" ? 1 : 3))
    }

    @Test func `Frames of changing sizes are encoded one after the other`() async throws {
        let encoder = StillEncoder(format: .jpeg, quality: 80, orientation: .upright)
        defer { encoder.close() }
        for (width, height) in [(640, 360), (34, 18), (320, 242), (640, 360)] {
            let frame = try await Self.frame(Self.formats[5], width, height, "bt601")
            for _ in 0..<3 {
                let file = try PictureFile(try await encoder.encode(frame).bytes, .jpeg)
                #expect((file.width, file.height) == (width, height))
            }
        }
    }
}
