// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit
import Testing

@testable import gst_capture

@Suite("Reports of missed slots")
struct LossReportTests {
    private static func time(_ seconds: Int) -> ClockTime { ClockTime(nanoseconds: UInt64(seconds) * 1_000_000_000) }

    private static func missed(_ index: Int, _ reason: MissReason = .lost) -> CaptureEvent {
        .missed(SlotRun(Slot(index: index, due: time(index))), reason)
    }

    @Test("The first missed slot is reported at once, later ones once a minute, and the rest at the end")
    func sums() {
        var report = LossReport()
        #expect(report.record(Self.missed(0), at: Self.time(0)) == (nil, true))
        for second in 1..<60 { #expect(report.record(Self.missed(second), at: Self.time(second)) == (nil, false)) }
        let (summary, isReported) = report.record(Self.missed(60), at: Self.time(60))
        #expect(summary == "60 more slots, to slot 61, without picture for the same reason")
        #expect(!isReported)
        _ = report.record(Self.missed(61), at: Self.time(61))
        #expect(
            report.record(.recovered(after: .seconds(61)), at: Self.time(62))
                == ("1 more slot, to slot 62, without picture for the same reason", true))
        #expect(report.record(Self.missed(70), at: Self.time(70)) == (nil, true))
    }

    @Test("A missed slot with another reason is reported at once")
    func otherReason() {
        var report = LossReport()
        _ = report.record(Self.missed(0), at: Self.time(0))
        _ = report.record(Self.missed(1), at: Self.time(1))
        let (summary, isReported) = report.record(Self.missed(2, .backlog), at: Self.time(2))
        #expect(summary == "1 more slot, to slot 2, without picture for the same reason")
        #expect(isReported)
    }

    @Test("Failures with the same reason and different files are combined")
    func files() {
        var report = LossReport()
        func failed(_ index: Int) -> CaptureEvent {
            .failed(
                Slot(index: index, due: Self.time(index)),
                CaptureError(.inputOutput, "the disk is full", subject: "\(index).jpg"))
        }
        #expect(report.record(failed(0), at: Self.time(0)) == (nil, true))
        #expect(report.record(failed(1), at: Self.time(1)) == (nil, false))
        #expect(report.record(.notice(Notice(.information, "something else")), at: Self.time(2)) == (nil, true))
        #expect(
            report.record(.storageResumed(stored: 2), at: Self.time(3))
                == ("1 more picture failed, to slot 2, for the same reason", true))
    }
}
