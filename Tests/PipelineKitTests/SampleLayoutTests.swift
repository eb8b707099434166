// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import PipelineKit

@Suite("The sample layout of pixel formats", .criticalsAreFatal)
struct SampleLayoutTests {
    private typealias Component = SampleLayout.Component

    private func component(
        plane: Int, offset: Int, stride: Int, sharedBy pixels: (columns: Int, rows: Int) = (1, 1), depth: Int = 8
    ) -> Component {
        Component(
            plane: plane, depth: depth, offset: offset, pixelStride: stride, columns: pixels.columns, rows: pixels.rows)
    }

    @Test func `The chroma planes of YV12 have their subsampling and their order`() throws {
        let format = try #require(VideoFormat("YV12")?.sampleLayout)
        #expect(!format.isRGB)
        #expect(format.planeCount == 3)
        #expect(
            format.components == [
                component(plane: 0, offset: 0, stride: 1),
                component(plane: 2, offset: 0, stride: 1, sharedBy: (2, 2)),
                component(plane: 1, offset: 0, stride: 1, sharedBy: (2, 2)),
            ])
    }

    @Test func `Components that share a plane have offsets and strides`() throws {
        let format = try #require(VideoFormat("YUY2")?.sampleLayout)
        #expect(format.planeCount == 1)
        #expect(
            format.components == [
                component(plane: 0, offset: 0, stride: 2),
                component(plane: 0, offset: 1, stride: 4, sharedBy: (2, 1)),
                component(plane: 0, offset: 3, stride: 4, sharedBy: (2, 1)),
            ])
    }

    @Test func `Components have a depth, and the layout states whether they are RGB`() throws {
        #expect(VideoFormat("GRAY8")?.sampleLayout?.isRGB == false)
        let bgra = try #require(VideoFormat("BGRA")?.sampleLayout)
        #expect(bgra.isRGB)
        #expect(bgra.components.map(\.offset) == [2, 1, 0, 3])
        #expect(VideoFormat("RGB16")?.sampleLayout?.components.map(\.depth) == [5, 6, 5])
        #expect(
            VideoFormat("GRAY16_LE")?.sampleLayout?.components == [component(plane: 0, offset: 0, stride: 2, depth: 16)]
        )
    }

    @Test(arguments: [
        "", "NOSUCH", "i420", "UNKNOWN", "ENCODED", "RGB8P", "NV12_64Z32", "NV12_4L4", "v210", "IYU1", "VYUY",
    ])
    func `A format that is unknown, irregular or listed with wrong offsets has no layout`(name: String) {
        #expect(VideoFormat(name)?.sampleLayout == nil)
    }

    @Test func `The layout of video information is that of its format`() throws {
        #expect(
            try VideoInfo(format: "NV12", width: 7, height: 5).videoFormat.sampleLayout
                == VideoFormat("NV12")?.sampleLayout)
        #expect(try VideoInfo(format: "v210", width: 6, height: 2).videoFormat.sampleLayout == nil)
    }
}
