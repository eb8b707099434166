// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import FrameMeasures
import PipelineKit
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The article on the path from a frame to a steady exposure` {
    @Test func `The example of the article runs`() async throws {
        let format = try VideoInfo(format: "GRAY8", width: 640, height: 360)
        let buffer = try Buffer(Array(repeating: 128, count: format.byteCount), presentationTime: .zero)
        var luma = LumaFrame()
        if luma.fill(from: buffer, format) {
            print(luma.width, "x", luma.height, "levels from", luma.black, "to", luma.white)
        }
        #expect(luma.width == 160 && luma.height == 90)
    }

    @Test func `The article shows the example of this test`() throws {
        #expect(try Article.examples(of: "FromFrameToSteadyExposure", in: "FrameMeasures", missingIn: #filePath) == [])
    }
}
