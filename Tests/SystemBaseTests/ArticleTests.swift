// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import SystemBase
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The article on the path of a moment` {
    @Test func `The example of the article runs`() async throws {
        let start = ClockTime.now
        let due = start + .milliseconds(200)
        let frame = due + .milliseconds(3)
        let distance = frame - due
        print("due at", due, "and", distance.nanoseconds, "ns late")
        #expect(distance == .milliseconds(3))
    }

    @Test func `The article shows the example of this test`() throws {
        #expect(try Article.examples(of: "PathOfAMoment", in: "SystemBase", missingIn: #filePath) == [])
    }
}
