// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import CropKit
import OverlayCompositor
import OverlayRaster
import PipelineKit
import Testing

@testable import CaptureKit
@testable import SessionKit
@testable import SessionModel

/// A session's view, drawn on a frame as the preview draws it.
struct RenderedView {
    let sample: Sample

    /// - Parameter frame: A frame of the camera, in RGB.
    init(_ view: SessionView, on frame: Sample) async throws {
        switch view {
        case .live(let layers, let values):
            let info = try #require(frame.caps?.videoInfo)
            let contents = OverlayContents(layers, values: values)
            let result = try await OverlayPlanner(CairoRasterizer()).plan(contents, at: 0, for: info)
            #expect(result.failures.isEmpty)
            let buffer = try FramePool(info).makeFrame { output in
                try #require(frame.buffer).withVideoFrame(info) { try output.copy($0) }
                result.plan.blend(into: &output)
            }
            sample = Sample(buffer, caps: info.caps)
        case .page(let layers, let ground):
            sample = try await StandInPainter(CairoRasterizer()).paint(
                OverlayContents(layers), over: ground, frame, PreviewSize(width: 640, height: 360))
        }
    }

    /// A frame of one test pattern.
    static func ground(_ pattern: String, width: Int, height: Int) async throws -> Sample {
        try await .made(
            by: "videotestsrc num-buffers=1 pattern=\(pattern) ! video/x-raw,format=RGB,width=\(width),height=\(height)"
        )
    }
}
