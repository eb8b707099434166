// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Dispatch
import Synchronization
import Testing

@testable import SessionKit
@testable import gst_capture

@Suite("Reports of a session", .timeLimit(.minutes(5)))
struct SessionReporterTests {
    @Test("Dropped events do not end a session, and its answers and its end are never dropped")
    func dropped() async {
        let printer = StalledPrinter()
        let reporter = SessionReporter(printer)
        // 10,000 reports wait for the reader.
        for number in 1...10_005 { reporter.show(NumberedSessionEvent(number: number, event: .recovered(.front))) }
        reporter.answer { printer.add("answer") }
        let outcome = SessionOutcome(ending: .left, folder: nil, pictures: [], skipped: [])
        reporter.show(NumberedSessionEvent(number: 10_006, event: .finished(outcome)))
        printer.release()
        await reporter.finish(within: nil)
        #expect(printer.lines.suffix(4) == ["10000", "reports-dropped", "answer", "10006"])
        var failures = 0
        for await _ in reporter.failures { failures += 1 }
        #expect(failures == 0)
    }
}

/// A printer that writes nothing until it is released.
private final class StalledPrinter: SessionPrinter {
    private let gate = DispatchSemaphore(value: 0)
    private let printed = Mutex<[String]>([])

    var lines: [String] { printed.withLock { $0 } }

    func release() { gate.signal() }

    func show(_ event: NumberedSessionEvent) { add("\(event.number)") }

    func report(_ error: CaptureError) { add("error") }

    func report(_ notice: Notice) { add(notice.code.rawValue) }

    func add(_ line: String) {
        gate.wait()
        gate.signal()
        printed.withLock { $0.append(line) }
    }
}
