// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import FrameMeasures
import PipelineKit
import Testing

@Suite("The light of a frame", .timeLimit(.minutes(5)))
struct LightReadingTests {
    @Test(
        "The ratio of red to blue is measured in every camera format",
        arguments: [
            "I420", "YV12", "NV12", "NV21", "NV16", "Y42B", "Y41B", "Y444", "YUY2", "YVYU", "UYVY", "RGB", "BGR",
            "RGBx",
            "BGRx", "RGBA", "BGRA", "xRGB", "xBGR", "ARGB", "ABGR",
        ])
    func formats(format: String) async throws {
        for (color, expected) in [(UInt32(0xFFC0_8060), 2.1...2.3), (0xFF60_80C0, -2.3 ... -2.1)] {
            let sample = try await Sample.made(
                by: "videotestsrc pattern=solid-color foreground-color=\(color) num-buffers=1 ! "
                    + "video/x-raw,format=\(format),width=64,height=48")
            let (buffer, info) = (try #require(sample.buffer), try #require(sample.caps?.videoInfo))
            let redToBlue = try #require(LightReading(buffer, info)?.redToBlue)
            #expect(expected.contains(redToBlue), "\(redToBlue)")
        }
    }
}
