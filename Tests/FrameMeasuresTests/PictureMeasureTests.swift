// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import FrameMeasures
import PipelineKit
import Testing

@Suite("The sharpness of a frame", .timeLimit(.minutes(5)))
struct PictureMeasureTests {
    private func sharpness(_ pattern: String, _ format: String) async throws -> Double {
        let sample = try await Sample.made(
            by: "videotestsrc num-buffers=1 pattern=\(pattern) ! video/x-raw,format=\(format),width=640,height=480")
        let (buffer, info) = (try #require(sample.buffer), try #require(sample.caps?.videoInfo))
        return try #require(PictureMeasure(buffer, info)).sharpness
    }

    @Test("Sharpness is the same in all formats, higher for a sharper frame, and 0 for a uniform one")
    func formats() async throws {
        let (uniform, fine) = (try await sharpness("solid-color", "I420"), try await sharpness("checkers-1", "I420"))
        let coarse = try await sharpness("checkers-8", "I420")
        #expect(uniform == 0 && fine > coarse)
        for format in ["NV12", "YUY2", "GRAY8", "Y444"] {
            let other = try await sharpness("checkers-8", format)
            #expect(abs(other - coarse) < 1, "\(format)")
        }
    }
}
