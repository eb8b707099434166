// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import SessionKit
import Testing

@testable import gst_capture

@Suite("The plan of a session")
struct SessionPlanTests {
    private func camera(_ pattern: String) -> CaptureConfiguration {
        CaptureConfiguration(source: .fragment("videotestsrc pattern=\(pattern)"), output: .caller)
    }

    @Test("A dry run lists the front camera before the back camera")
    func order() throws {
        // The order of a dictionary differs from one to the next.
        for _ in 0..<32 {
            let configuration = SessionConfiguration(
                cameras: [.back: camera("blue"), .front: camera("red")], output: .caller)
            let pipelines = try configuration.pipelines()
            #expect(pipelines.map { $0.contains("pattern=red") } == [true, false])
            #expect(pipelines.map { $0.contains("pattern=blue") } == [false, true])
        }
    }
}
