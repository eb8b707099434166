// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import StillKit
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The article on the path from a frame to a file` {
    @Test func `The example of the article runs`() async throws {
        let gray = try VideoInfo(format: "GRAY8", width: 640, height: 480)
        let encoder = StillEncoder(format: .jpeg, quality: 90, orientation: .upright)
        defer { encoder.close() }
        let frame = Sample(try Buffer([UInt8](repeating: 128, count: gray.byteCount)), caps: gray.caps)
        let jpeg = try await encoder.encode(frame).bytes
        let template = try FileNameTemplate(parsing: "garden/%Y-%m-%d/%05n.jpg")
        var metadata = StillMetadata(captured: .now(), width: 640, height: 480)
        metadata.model = "HD Pro Webcam C920"
        let file = try metadata.embedded(in: jpeg, .jpeg)
        print(template.render(metadata.captured, sequence: 7), file.count, "bytes")
        #expect(file.count > jpeg.count)
    }

    @Test func `The article shows the example of this test`() throws {
        #expect(try Article.examples(of: "PathOfAFile", in: "StillKit", missingIn: #filePath) == [])
    }
}
