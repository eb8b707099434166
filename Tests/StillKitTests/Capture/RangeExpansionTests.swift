// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Testing

@testable import PipelineKit
@testable import StillKit

@Suite("Expanding video levels to full levels")
struct RangeExpansionTests {
    static let formats = [
        "I420", "YV12", "Y42B", "Y41B", "Y444", "GRAY8", "NV12", "NV21", "YUY2", "YVYU", "UYVY",
    ]

    @Test(
        "Every level is expanded to the nearest of the standard's formula, with odd sizes and padding",
        arguments: formats, [(1, 1), (2, 2), (7, 5), (33, 3), (64, 9), (254, 2)])
    func levels(format: String, size: (width: Int, height: Int)) throws {
        let info = try VideoInfo(format: format, width: size.width, height: size.height)
        for (padding, otherPadding) in [(0, 0), (13, 0), (0, 7), (13, 7)] {
            let (frame, result) = (try Frame(info, padding: padding), try Frame(info, padding: otherPadding))
            let before = try frame.bytes()
            try frame.expand(into: result)
            let after = try result.bytes()
            for (place, target) in zip(frame.places(), result.places()) {
                let (level, expanded) = (before[place.index], after[target.index])
                let exact = place.isLuma ? Reference.luma(level) : Reference.chroma(level)
                // A level halfway between two values may be rounded either way.
                #expect(abs(Double(expanded) - exact) <= 0.6, "\(level) is \(expanded), not \(exact)")
            }
            #expect(try frame.bytes() == before)
        }
    }

    @Test("Black, white and gray are expanded exactly")
    func anchors() throws {
        let info = try VideoInfo(format: "Y444", width: 4, height: 1)
        let result = try Frame(info)
        try Frame(info, bytes: [16, 235, 0, 255, 128, 16, 240, 255, 128, 128, 128, 0]).expand(into: result)
        #expect(try result.bytes()[..<4] == [0, 255, 0, 255])
        #expect(try result.bytes()[4] == 128)
        #expect(try result.bytes()[8...10] == [128, 128, 128])
    }

    @Test("A lighter level is never expanded to a darker one", arguments: ["GRAY8", "Y444"])
    func monotonic(format: String) throws {
        let info = try VideoInfo(format: format, width: 256, height: 1)
        let result = try Frame(info)
        try Frame(info, bytes: (0..<info.byteCount).map { UInt8(truncatingIfNeeded: $0) }).expand(into: result)
        let bytes = try result.bytes()
        for plane in stride(from: 0, to: bytes.count, by: 256) {
            #expect(zip(bytes[plane..<plane + 255], bytes[plane + 1..<plane + 256]).allSatisfy { $0 <= $1 })
        }
    }

    @Test("The expansion of levels does not modify padding between rows", arguments: formats)
    func padding(format: String) throws {
        let info = try VideoInfo(format: format, width: 16, height: 4)
        let (frame, result) = (try Frame(info, padding: 10), try Frame(info, padding: 24))
        let before = try result.bytes()
        try frame.expand(into: result)
        let after = try result.bytes()
        let places = Set(result.places().map(\.index))
        for index in before.indices where !places.contains(index) { #expect(after[index] == before[index]) }
    }

    @Test(
        "Unsupported formats have no range expansion",
        arguments: ["RGB", "BGRx", "P010_10LE", "GRAY16_LE", "", "i420", "AYUV"])
    func others(format: String) { #expect(RangeExpansion(format: format) == nil) }

    @Test(
        "An output of another format or size is an error: part of it would keep the buffer's old content",
        arguments: [("GRAY8", 16, 4), ("I420", 16, 2), ("I420", 8, 4), ("NV12", 16, 4)])
    func incomplete(format: String, width: Int, height: Int) throws {
        let frame = try Frame(VideoInfo(format: "I420", width: 16, height: 4))
        let other = try Frame(VideoInfo(format: format, width: width, height: height))
        #expect(throws: PipelineError.self) { try frame.expand(into: other) }
    }

    /// The formulas from 8-bit BT.601 to JFIF, as written in both standards.
    private enum Reference {
        static func luma(_ level: UInt8) -> Double { min(255, max(0, (Double(level) - 16) * 255 / 219)) }
        static func chroma(_ level: UInt8) -> Double {
            let level = min(240, max(16, Double(level)))
            return min(255, max(0, (level - 128) * 255 / 224 + 128))
        }
    }

    /// A frame whose stride may be larger than the format's default.
    private struct Frame {
        let info: VideoInfo
        let buffer: Buffer
        let planes: [(offset: Int, stride: Int, rows: Int)]

        init(_ info: VideoInfo, padding: Int = 0, bytes: [UInt8]? = nil) throws {
            self.info = info
            var (end, planes) = (0, [(offset: Int, stride: Int, rows: Int)]())
            for index in 0..<info.planeCount {
                let plane = try #require(info.plane(index))
                let stride = plane.stride + padding
                planes.append((padding == 0 ? plane.offset : end, stride, plane.rows))
                end += stride * plane.rows
            }
            self.planes = planes
            let count = padding == 0 ? info.byteCount : end
            // 97 has no factor in common with 256: all levels occur, and neighboring levels differ.
            buffer = try Buffer(bytes ?? (0..<count).map { UInt8(truncatingIfNeeded: $0 * 97 + $0 / 256) })
            guard padding > 0 else { return }
            var offsets = planes.map { gsize($0.offset) } + [0, 0, 0, 0]
            var strides = planes.map { gint($0.stride) } + [0, 0, 0, 0]
            gst_buffer_add_video_meta_full(
                buffer.pointer, GST_VIDEO_FRAME_FLAG_NONE, gst_video_format_from_string(info.format), guint(info.width),
                guint(info.height), guint(info.planeCount), &offsets, &strides)
        }

        func bytes() throws -> [UInt8] { try buffer.bytes() }

        func expand(into other: Frame) throws {
            let expansion = try #require(RangeExpansion(format: info.format))
            try buffer.withVideoFrame(info) { input in
                var output = try WritableVideoFrame(mapping: other.buffer.pointer, other.info)
                try expansion.apply(from: input, to: &output)
            }
        }

        /// The indices of the samples of each pixel, pixel by pixel.
        func places() -> [(index: Int, isLuma: Bool)] {
            func at(_ plane: Int, _ x: Int, _ y: Int) -> Int { planes[plane].offset + y * planes[plane].stride + x }
            return (0..<info.height).flatMap { y in
                (0..<info.width).flatMap { x -> [(index: Int, isLuma: Bool)] in
                    switch info.format {
                    case "GRAY8": [(at(0, x, y), true)]
                    case "Y444": [(at(0, x, y), true), (at(1, x, y), false), (at(2, x, y), false)]
                    case "I420", "YV12":
                        [(at(0, x, y), true), (at(1, x / 2, y / 2), false), (at(2, x / 2, y / 2), false)]
                    case "Y42B": [(at(0, x, y), true), (at(1, x / 2, y), false), (at(2, x / 2, y), false)]
                    case "Y41B": [(at(0, x, y), true), (at(1, x / 4, y), false), (at(2, x / 4, y), false)]
                    case "NV12", "NV21":
                        [(at(0, x, y), true), (at(1, x / 2 * 2, y / 2), false), (at(1, x / 2 * 2 + 1, y / 2), false)]
                    case "UYVY":
                        [(at(0, x * 2 + 1, y), true), (at(0, x / 2 * 4, y), false), (at(0, x / 2 * 4 + 2, y), false)]
                    default:
                        [(at(0, x * 2, y), true), (at(0, x / 2 * 4 + 1, y), false), (at(0, x / 2 * 4 + 3, y), false)]
                    }
                }
            }
        }
    }
}
