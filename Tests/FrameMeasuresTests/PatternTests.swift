// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@testable import FrameMeasures

@Suite("The places of luma and color in frames") struct PatternTests {
    @Test(
        "Luma has a known place in the formats that cameras deliver",
        arguments: [
            ("I420", 1, [0]), ("YV12", 1, [0]), ("NV12", 1, [0]), ("NV21", 1, [0]), ("NV16", 1, [0]), ("Y42B", 1, [0]),
            ("Y41B", 1, [0]), ("Y444", 1, [0]), ("GRAY8", 1, [0]), ("YUY2", 2, [0]), ("YVYU", 2, [0]),
            ("UYVY", 2, [1]), ("RGB", 3, [0, 1, 2]), ("BGR", 3, [0, 1, 2]), ("RGBx", 4, [0, 1, 2]),
            ("BGRA", 4, [0, 1, 2]), ("xRGB", 4, [1, 2, 3]), ("ABGR", 4, [1, 2, 3]),
        ])
    func luma(format: String, step: Int, offsets: [Int]) throws {
        let pattern = try #require(VideoFormat(format).flatMap(LumaPattern.init))
        #expect(pattern.bytes.step == step && pattern.bytes.offsets == offsets)
        #expect(pattern.isRGB == (offsets.count == 3))
    }

    /// The plane, the step and the offset of a component.
    private struct Place: Equatable {
        let plane: Int, step: Int, offset: Int

        init(_ plane: Int, _ step: Int, _ offset: Int) { (self.plane, self.step, self.offset) = (plane, step, offset) }

        init(_ component: ColorPattern.Component) {
            self.init(component.plane, component.bytes.step, component.bytes.offsets[0])
        }
    }

    @Test("Red and blue, or Cr and Cb, have a known place in the formats that cameras deliver")
    func color() throws {
        let places: [(format: String, red: Place, blue: Place)] = [
            ("I420", Place(2, 1, 0), Place(1, 1, 0)), ("YV12", Place(1, 1, 0), Place(2, 1, 0)),
            ("NV12", Place(1, 2, 1), Place(1, 2, 0)), ("NV21", Place(1, 2, 0), Place(1, 2, 1)),
            ("YUY2", Place(0, 4, 3), Place(0, 4, 1)), ("YVYU", Place(0, 4, 1), Place(0, 4, 3)),
            ("UYVY", Place(0, 4, 2), Place(0, 4, 0)), ("RGB", Place(0, 3, 0), Place(0, 3, 2)),
            ("BGR", Place(0, 3, 2), Place(0, 3, 0)), ("RGBA", Place(0, 4, 0), Place(0, 4, 2)),
            ("BGRx", Place(0, 4, 2), Place(0, 4, 0)), ("xRGB", Place(0, 4, 1), Place(0, 4, 3)),
            ("ABGR", Place(0, 4, 3), Place(0, 4, 1)),
        ]
        for (format, red, blue) in places {
            let pattern = try #require(VideoFormat(format).flatMap(ColorPattern.init))
            #expect(Place(pattern.red) == red && Place(pattern.blue) == blue, "\(format)")
            #expect(pattern.isDifference == !format.contains("R"), "\(format)")
        }
    }

    @Test(
        "Formats of other depths, tiles and palettes have no known place",
        arguments: [
            "P010_10LE", "GRAY16_LE", "RGB16", "v210", "NV12_64Z32", "RGB8P", "GBR", "no-format",
        ])
    func others(format: String) {
        #expect(VideoFormat(format).flatMap(LumaPattern.init) == nil)
        if format != "GBR" { #expect(VideoFormat(format).flatMap(ColorPattern.init) == nil) }
    }

    @Test("A gray format has no place of color") func gray() {
        #expect(VideoFormat("GRAY8").flatMap(ColorPattern.init) == nil)
    }
}
