// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import ScheduleKit
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The article on the path of a slot` {
    @Test func `The example of the article runs`() async throws {
        var schedule = Schedule.every(.seconds(600))
        schedule.isAligned = true

        let timeLine = TimeLine.current()
        var due = schedule.firstDue(on: timeLine)
        for index in 0..<3 {
            guard let moment = due else { break }
            print("slot", index, "is due in", moment - ClockTime.now)
            due = schedule.due(after: moment, on: timeLine)
        }
        #expect(due != nil)
    }

    @Test func `The article shows the example of this test`() throws {
        #expect(try Article.examples(of: "PathOfASlot", in: "ScheduleKit", missingIn: #filePath) == [])
    }
}
