// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@testable import OverlayCompositor

@Suite struct `A plan` {
    static let formats = [
        "I420", "YV12", "NV12", "NV21", "YUY2", "UYVY", "Y42B", "Y444", "GRAY8", "RGB", "BGR", "RGBx", "BGRx", "xRGB",
        "xBGR", "RGBA", "BGRA", "ARGB", "ABGR", "YVYU", "NV16", "NV61", "NV24", "Y41B", "YUV9", "YVU9", "A420",
        "AV12", "AYUV", "VUYA", "v308", "IYU2", "GBR", "GBRA", "RGBP", "BGRP",
    ]

    struct Coding: Sendable {
        let colorimetry: String
        let shares: (red: Double, blue: Double)
        let isFullRange: Bool
    }

    static let codings = [
        Coding(colorimetry: "bt601", shares: (0.299, 0.114), isFullRange: false),
        Coding(colorimetry: "bt709", shares: (0.2126, 0.0722), isFullRange: false),
        Coding(colorimetry: "bt2020", shares: (0.2627, 0.0593), isFullRange: false),
        // JPEG's coding: full range, BT.601's matrix.
        Coding(colorimetry: "1:4:0:0", shares: (0.299, 0.114), isFullRange: true),
        Coding(colorimetry: "1:3:5:1", shares: (0.2126, 0.0722), isFullRange: true),
    ]

    @Test(arguments: formats)
    func `A plan differs from floating point by at most one code value, and changes no other byte`(
        format: String
    ) throws {
        var generator = SeededGenerator(format.hashValueThatStays)
        for round in 0..<25 {
            try check(format, Self.codings[round % Self.codings.count], &generator)
        }
    }

    private func check(_ format: String, _ coding: Coding, _ generator: inout SeededGenerator) throws {
        let (width, height) = (Int.random(in: 1...150, using: &generator), Int.random(in: 1...24, using: &generator))
        let info = try info(format, width, height, coding)
        let layers = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
            DrawnLayer(
                RasterRequest(width, height), .random(width, height, &generator),
                isGround: Int.random(in: 0..<4, using: &generator) == 0)
        }
        let plan = try PlanFormat(info)
        let parts = LayerGroups(layers, origin: (0, 0)).groups.map { group in
            PlanPart(group.map { layers[$0].image }, plan)
        }
        let order = layers.filter(\.isGround) + layers.filter { !$0.isGround }
        let reference = ReferenceBlend(
            format: format, width: width, height: height, shares: coding.shares,
            isFullRange: coding.isFullRange)
        let planes = try plan.planes.indices.map { FakePlane(try #require(info.plane($0)), &generator) }
        let before = planes.map(\.bytes)
        for part in parts {
            for (index, plane) in planes.enumerated() { plane.apply(part.planes[index]) }
        }
        var expected = before
        // Millions of bytes are compared: `#expect` for each of them would take most of the test's time.
        var faults: [ReferenceBlend.Site] = []
        for site in reference.sites {
            let place = planes[site.plane].place(site.row, site.byte)
            let value = reference.blend(before[site.plane][place], at: site, order.map(\.image))
            let got = planes[site.plane].bytes[place]
            if !(abs(Double(got) - value.rounded()) <= 1) { faults.append(site) }
            expected[site.plane][place] = got
        }
        #expect(faults.isEmpty, "\(format) \(width)x\(height) \(coding.colorimetry) \(faults.prefix(4))")
        #expect(planes.map(\.bytes) == expected, "bytes that hold no component stay")
    }

    private func info(_ format: String, _ width: Int, _ height: Int, _ coding: Coding) throws -> VideoInfo {
        let isYUV = !format.contains("R") || format == "GRAY8"
        let color = isYUV ? ",colorimetry=(string)\(coding.colorimetry)" : ""
        let caps = try Caps("video/x-raw,format=\(format),width=\(width),height=\(height),framerate=30/1\(color)")
        return try #require(caps.videoInfo)
    }
}

/// The rows of a plane, with padding between and behind them that must not change.
private final class FakePlane {
    let layout: PlaneLayout
    let stride: Int
    private(set) var bytes: [UInt8]

    init(_ layout: PlaneLayout, _ generator: inout SeededGenerator) {
        self.layout = layout
        stride = layout.rowBytes + Int.random(in: 0...40, using: &generator)
        bytes = (0..<stride * layout.rows).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    func place(_ row: Int, _ byte: Int) -> Int { row * stride + byte }

    func apply(_ plan: PlanePlan) {
        bytes.withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { plan.apply(to: start, stride: stride) }
        }
    }
}

extension RasterRequest {
    fileprivate init(_ width: Int, _ height: Int) {
        self.init(
            .picture([], tint: nil), width: width, height: height, point: (0, 0), anchor: .center, extent: (1, 1))
    }
}

extension String {
    /// Unlike Swift's, this hash is the same in each run.
    fileprivate var hashValueThatStays: Int { utf8.reduce(7) { ($0 &* 31) &+ Int($1) } }
}
