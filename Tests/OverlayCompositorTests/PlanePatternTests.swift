// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@testable import OverlayCompositor

@Suite struct `The patterns of planes` {
    /// The bytes of a group of pixels in each plane, and the size of the group. A byte with a number belongs to the
    /// pixel of that column, every other byte to all pixels of the group.
    private static let patterns = [
        "I420": ["Y 1x1", "U 2x2", "V 2x2"], "YV12": ["Y 1x1", "V 2x2", "U 2x2"],
        "Y42B": ["Y 1x1", "U 2x1", "V 2x1"], "Y444": ["Y 1x1", "U 1x1", "V 1x1"],
        "Y41B": ["Y 1x1", "U 4x1", "V 4x1"], "YUV9": ["Y 1x1", "U 4x4", "V 4x4"], "YVU9": ["Y 1x1", "V 4x4", "U 4x4"],
        "NV12": ["Y 1x1", "UV 2x2"], "NV21": ["Y 1x1", "VU 2x2"], "NV16": ["Y 1x1", "UV 2x1"],
        "NV61": ["Y 1x1", "VU 2x1"], "NV24": ["Y 1x1", "UV 1x1"],
        "YUY2": ["Y0UY1V 2x1"], "UYVY": ["UY0VY1 2x1"], "YVYU": ["Y0VY1U 2x1"],
        "AYUV": ["AYUV 1x1"], "VUYA": ["VUYA 1x1"], "v308": ["YUV 1x1"], "IYU2": ["UYV 1x1"],
        "A420": ["Y 1x1", "U 2x2", "V 2x2", "A 1x1"], "AV12": ["Y 1x1", "UV 2x2", "A 1x1"], "GRAY8": ["Y 1x1"],
        "RGB": ["RGB 1x1"], "BGR": ["BGR 1x1"], "RGBx": ["RGB- 1x1"], "BGRx": ["BGR- 1x1"], "xRGB": ["-RGB 1x1"],
        "xBGR": ["-BGR 1x1"], "RGBA": ["RGBA 1x1"], "BGRA": ["BGRA 1x1"], "ARGB": ["ARGB 1x1"], "ABGR": ["ABGR 1x1"],
        "GBR": ["G 1x1", "B 1x1", "R 1x1"], "GBRA": ["G 1x1", "B 1x1", "R 1x1", "A 1x1"],
        "RGBP": ["R 1x1", "G 1x1", "B 1x1"], "BGRP": ["B 1x1", "G 1x1", "R 1x1"],
    ]

    @Test(arguments: `A plan`.formats)
    func `The patterns of planes have the components of the format in memory order`(format: String) throws {
        let planes = try #require(VideoFormat(format)?.sampleLayout.flatMap(PlanePattern.planes))
        #expect(planes.map(\.text) == Self.patterns[format])
    }

    @Test func `The patterns of planes are tested for every format with which plans are tested`() {
        #expect(Set(Self.patterns.keys) == Set(`A plan`.formats))
    }

    @Test(arguments: [
        "", "i420", "ENCODED", "v210", "UYVP", "IYU1", "r210", "Y410", "RGB16", "RGB8P", "GRAY16_LE", "ARGB64",
        "P010_10LE", "I420_10LE", "NV12_64Z32", "NV12_4L4", "VYUY",
    ])
    func `Formats whose samples are not bytes in rows, and VYUY with its wrong offsets, are refused`(
        format: String
    ) {
        #expect(!OverlayPlan.takes(format: format))
    }

    @Test func `A format with too long rows in any plane is refused`() throws {
        #expect(throws: OverlayError.self) { try PlanFormat(VideoInfo(format: "NV24", width: 40000, height: 2)) }
        #expect(try PlanFormat(VideoInfo(format: "NV16", width: 40000, height: 2)).planes.count == 2)
    }
}

extension PlanePattern {
    fileprivate var text: String {
        samples.map { $0.component.letter + ($0.column.map { "\($0)" } ?? "") }.joined() + " \(columns)x\(rows)"
    }
}

extension PlanePattern.Component {
    fileprivate var letter: String {
        switch self {
        case .luma: "Y"
        case .blueDifference: "U"
        case .redDifference: "V"
        case .red: "R"
        case .green: "G"
        case .blue: "B"
        case .alpha: "A"
        case .padding: "-"
        }
    }
}
