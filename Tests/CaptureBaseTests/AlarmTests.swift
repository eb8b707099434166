// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import CaptureBase

@Suite("An alarm", .timeLimit(.minutes(5)))
struct AlarmTests {
    private actor Tally {
        private(set) var count = 0
        func add() { count += 1 }
    }

    @Test func `The pending call and the replaced call of an alarm have ended when finish returns`() async {
        let tally = Tally()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        var alarm = Alarm()
        alarm.set(.now) {
            begin.yield()
            // Ends when the task is canceled.
            for await _ in AsyncStream<Never>.makeStream().stream {}
            await tally.add()
        }
        for await _ in begun.prefix(1) {}
        alarm.set(.now + .seconds(3600)) { await tally.add() }
        await alarm.finish()
        #expect(await tally.count == 2)
    }
}
