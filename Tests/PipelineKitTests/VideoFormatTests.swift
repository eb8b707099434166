// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite(.criticalsAreFatal)
struct `Pixel formats` {
    @Test(
        arguments: [
            ("I420", VideoFormat.i420, 3, 8), ("NV12", .nv12, 2, 8), ("YUY2", .yuy2, 1, 8), ("BGRx", .bgrx, 1, 8),
            ("GRAY8", .gray8, 1, 8), ("GRAY16_LE", .gray16LE, 1, 16), ("P010_10LE", .p010LE, 2, 10),
            ("v210", .v210, 1, 10),
        ] as [(String, VideoFormat, Int, Int)])
    func `A format has GStreamer's name, planes and depth`(name: String, format: VideoFormat, planes: Int, depth: Int) {
        #expect(VideoFormat(name) == format)
        #expect(format.name == name)
        #expect("\(format)" == name)
        #expect(format.planeCount == planes)
        #expect(format.depth == depth)
    }

    @Test func `A format reports its kind of color`() {
        #expect(VideoFormat.i420.isYUV && !VideoFormat.i420.isRGB && !VideoFormat.i420.isGray)
        #expect(VideoFormat.bgrx.isRGB && !VideoFormat.bgrx.hasAlpha)
        #expect(VideoFormat.bgra.hasAlpha && VideoFormat.bgra.componentCount == 4)
        #expect(VideoFormat.gray8.isGray && VideoFormat.gray8.componentCount == 1)
        #expect(VideoFormat("RGB8P")?.hasPalette == true)
        #expect(VideoFormat("NV12_64Z32")?.isTiled == true)
    }

    @Test(arguments: ["", "NOSUCH", "i420", "I420 ", "I420\0", "UNKNOWN", "ENCODED"])
    func `A name that is not a pixel format has no format, and throws for video information`(name: String) {
        #expect(VideoFormat(name) == nil)
        #expect(failure { try VideoInfo(format: name, width: 4, height: 4) }?.code == .syntax)
    }

    @Test func `Each format is found by its name`() {
        #expect(VideoFormat.all.contains(.i420))
        #expect(VideoFormat.all.count > 50)
        for format in VideoFormat.all { #expect(VideoFormat(format.name) == format) }
    }

    @Test func `Video information can be created from a format, and reports it`() throws {
        let info = try VideoInfo(format: .nv12, width: 6, height: 4)
        #expect(info.videoFormat == .nv12)
        #expect(try info == VideoInfo(format: "NV12", width: 6, height: 4))
        #expect(try info.resized(width: 2, height: 2).videoFormat == .nv12)
        #expect(failure { try VideoInfo(format: .nv12, width: -1, height: 4) }?.code == .syntax)
    }
}
