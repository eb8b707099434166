// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite("Video formats", .criticalsAreFatal)
struct VideoInfoTests {
    @Test(
        "Planes of odd sizes have GStreamer's layout",
        arguments: [
            ("I420", 7, 5, [[0, 8, 7, 5], [48, 4, 4, 3], [60, 4, 4, 3]]),
            ("NV12", 7, 5, [[0, 8, 7, 5], [48, 8, 8, 3]]),
            ("YUY2", 3, 2, [[0, 8, 8, 2]]),
            ("BGRx", 3, 2, [[0, 12, 12, 2]]),
            ("RGB", 3, 2, [[0, 12, 9, 2]]),
            ("GRAY8", 3, 2, [[0, 4, 3, 2]]),
            ("GRAY16_LE", 3, 2, [[0, 8, 6, 2]]),
            ("v210", 6, 2, [[0, 128, 128, 2]]),
        ] as [(String, Int, Int, [[Int]])])
    func planes(format: String, width: Int, height: Int, layout: [[Int]]) throws {
        let info = try VideoInfo(format: format, width: width, height: height)
        #expect(info.planeCount == layout.count)
        for (index, expected) in layout.enumerated() {
            let plane = try #require(info.plane(index))
            #expect([plane.offset, plane.stride, plane.rowBytes, plane.rows] == expected)
        }
        #expect(info.plane(layout.count) == nil)
        #expect(info.plane(-1) == nil)
    }

    @Test("Tiled and paletted planes have no layout", arguments: [("NV12_64Z32", 0), ("NV12_4L4", 0), ("RGB8P", 1)])
    func noRows(format: String, plane: Int) throws {
        #expect(try VideoInfo(format: format, width: 64, height: 64).plane(plane) == nil)
    }

    @Test(
        "An unknown format and an impossible size throw",
        arguments: [
            ("NOSUCH", 4, 4), ("", 4, 4), ("I420", -1, 4), ("I420", 0, 4), ("I420", 4, 0), ("I420", 4, Int.max),
            ("I420", 1 << 31, 1 << 31), ("BGRx", Int(Int32.max), Int(Int32.max)),
        ])
    func errors(format: String, width: Int, height: Int) {
        #expect(failure { try VideoInfo(format: format, width: width, height: height) }?.code == .syntax)
    }

    @Test("Caps are converted to size, rate and color, and back to the same caps")
    func caps() throws {
        let text = "video/x-raw,format=NV12,width=1920,height=1080,framerate=30000/1001,colorimetry=bt709"
        let info = try #require(Caps(text).videoInfo)
        #expect(info.width == 1920 && info.height == 1080)
        #expect(info.format == "NV12")
        #expect(info.frameRate == Fraction(30000, 1001))
        #expect(info.colorimetry == "bt709")
        #expect(!info.isFullRange)
        #expect(info.byteCount == 1920 * 1080 * 3 / 2)
        #expect(info.caps.videoInfo == info)
        #expect(try VideoInfo(format: "NV12", width: 1920, height: 1080) != info)
        #expect(
            try #require(Caps("video/x-raw,format=I420,width=4,height=4,colorimetry=1:4:5:1").videoInfo).isFullRange)
    }
}
