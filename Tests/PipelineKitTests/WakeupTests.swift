// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import PipelineKit

@Suite("Wakeups of tasks", .timeLimit(.minutes(5)))
struct WakeupTests {
    @Test("A wakeup signal between the check and the wait is not lost")
    func early() async {
        let wakeup = Wakeup()
        let signals = wakeup.signals
        wakeup.signal()
        await wakeup.wait(after: signals)
    }

    @Test("One wakeup signal wakes all waiting tasks, and after a close later waits end at once")
    func all() async {
        let wakeup = Wakeup()
        await withTaskGroup { group in
            for _ in 0..<4 { group.addTask { await wakeup.wait(after: 0) } }
            wakeup.signal()
        }
        wakeup.close()
        #expect(wakeup.isClosed)
        await wakeup.wait(after: wakeup.signals)
    }

    @Test("A canceled wait for a wakeup ends, and a later wait ends with a signal")
    func cancellation() async {
        let wakeup = Wakeup()
        let canceled = Task { await wakeup.wait(after: 0) }
        canceled.cancel()
        await canceled.value
        let next = Task {
            await wakeup.wait(after: wakeup.signals)
            return true
        }
        wakeup.signal()
        wakeup.close()
        #expect(await next.value)
    }

    @Test(
        "At its limit a listener's buffer drops the oldest message, but neither the first error nor the end of stream")
    func messageBuffer() {
        var buffer = MessageBuffer(limit: 3)
        let error = BusMessage(.error(PipelineError(.stream, "broken")), source: "a")
        buffer.append(error)
        for number in 0..<10 { buffer.append(BusMessage(.buffering(number), source: "b")) }
        buffer.append(BusMessage(.endOfStream, source: "c"))
        #expect(buffer.messages.map(\.source) == ["a", "b", "c"])
        for _ in 0..<3 { buffer.append(error) }
        #expect(buffer.messages.map(\.source) == ["a", "c", "a"])
        buffer.isFinished = true
        buffer.append(error)
        #expect(buffer.messages.count == 3)
    }
}
