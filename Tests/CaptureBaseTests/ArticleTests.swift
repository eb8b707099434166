// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The article on the path of an error` {
    @Test func `The example of the article runs`() async throws {
        do throws(CaptureError) {
            let interval = try Duration(parsing: "10 parsecs")
            print(interval.shortText)
        } catch {
            print(error.code, error.code.exitStatus)  // usage 64
            print(error.message, error.advice ?? "")
        }
        let error = #expect(throws: CaptureError.self) { try Duration(parsing: "10 parsecs") }
        #expect(error?.code == .usage && error?.code.exitStatus == 64)
    }

    @Test func `The article shows the example of this test`() throws {
        #expect(try Article.examples(of: "PathOfAnError", in: "CaptureBase", missingIn: #filePath) == [])
    }
}
