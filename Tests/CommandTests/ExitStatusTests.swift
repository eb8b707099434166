// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Testing

@testable import gst_capture

@Suite("Exit statuses")
struct ExitStatusTests {
    private func summary(
        _ ending: CaptureSummary.Ending, captured: Int = 0, missed: Int = 0, failure: CaptureError? = nil
    ) -> CaptureSummary {
        var summary = CaptureSummary()
        (summary.ending, summary.captured, summary.missed) = (ending, captured, missed)
        (summary.failed, summary.firstFailure) = (failure == nil ? 0 : 1, failure)
        return summary
    }

    @Test("A series that ends has status 0, even with gaps")
    func done() {
        #expect(ExitStatus(summary(.completed, captured: 5)) == .success)
        #expect(ExitStatus(summary(.completed, captured: 4, missed: 1)) == .success)
        #expect(ExitStatus(summary(.stopped, captured: 1), stoppedBy: 2) == .success)
        #expect(ExitStatus(summary(.stopped)) == .success, "finished by SIGUSR2")
    }

    @Test("A series that is stopped before any picture has the status of the signal")
    func stopped() {
        #expect(ExitStatus(summary(.stopped), stoppedBy: 2).code == 130)
        #expect(ExitStatus(summary(.stopped, missed: 1), stoppedBy: 15).code == 143)
    }

    @Test("A failure has the status of its error")
    func failed() {
        let full = CaptureError(.inputOutput, "no space left")
        #expect(ExitStatus(summary(.failed(CaptureError(.permission, "denied")), captured: 3)).code == 77)
        #expect(ExitStatus(summary(.completed, captured: 3, failure: full)).code == 74)
        #expect(ExitStatus(summary(.completed, missed: 1)).code == 75, "no picture at all")
    }
}
