// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@testable import FrameMeasures

@Suite("The luma of a frame")
struct LumaFrameTests {
    @Test(
        "Squares of pixels are averaged in every format",
        arguments: ["GRAY8", "I420", "NV12", "YUY2", "UYVY", "RGB", "BGRx", "ARGB"],
        [(width: 640, height: 360), (322, 48), (160, 90), (97, 31)])
    func squares(format: String, size: (width: Int, height: Int)) throws {
        let info = try VideoInfo(format: format, width: size.width, height: size.height)
        let pattern = try #require(VideoFormat(format).flatMap(LumaPattern.init)?.bytes)
        let plane = try #require(info.plane(0))
        var bytes = [UInt8](repeating: 77, count: info.byteCount)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let place =
                    plane.offset + y * plane.stride + x * pattern.step + pattern.offsets[pattern.offsets.count / 2]
                bytes[place] = Self.level(x, y)
            }
        }
        var frame = LumaFrame()
        #expect(frame.fill(from: try Buffer(bytes), info))
        let side = (size.width + 159) / 160
        #expect((frame.width, frame.height, frame.scale) == (size.width / side, size.height / side, side))
        for (x, y) in [(0, 0), (frame.width - 1, frame.height - 1), (frame.width / 2, frame.height / 3)] {
            let square = (0..<side * side).map { Int(Self.level(x * side + $0 % side, y * side + $0 / side)) }
            let mean = (square.reduce(0, +) + side * side / 2) / (side * side)
            #expect(Int(frame.levels[y * frame.width + x]) == mean)
        }
    }

    @Test("RGB has full levels, and other formats have the levels of their colorimetry")
    func levels() throws {
        var frame = LumaFrame()
        for (format, black, white) in [("RGB", 0, 255), ("I420", 16, 235)] as [(String, UInt8, UInt8)] {
            let info = try VideoInfo(format: format, width: 16, height: 16)
            #expect(frame.fill(from: try Buffer([UInt8](repeating: 9, count: info.byteCount)), info))
            #expect((frame.black, frame.white) == (black, white))
        }
    }

    private static func level(_ x: Int, _ y: Int) -> UInt8 { UInt8(truncatingIfNeeded: x &* 37 &+ y &* 101) }
}
