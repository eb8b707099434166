// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit
import Testing

@testable import gst_capture

@Suite("Position of a series")
struct SeriesProgressTests {
    private func slot(_ index: Int, _ cause: Slot.Cause = .schedule) -> Slot {
        Slot(index: index, due: ClockTime(nanoseconds: 0) + .seconds(10 * index), cause: cause)
    }

    @Test("A series has no position before its first slot, in spite of triggered pictures")
    func nothing() {
        var progress = SeriesProgress()
        progress.record(.willCapture(slot(0, .trigger)))
        #expect(progress.position == nil)
    }

    @Test("The position of a series is its last slot, captured or missed, and its anchor the first")
    func going() throws {
        var progress = SeriesProgress()
        progress.record(.willCapture(slot(0)))
        progress.record(.missed(SlotRun(from: slot(1), through: slot(7)), .overslept))
        let position = try #require(progress.position)
        #expect(position.lastIndex == 7)
        #expect(position.lastDue.seconds - position.anchor.seconds == 70)
    }

    @Test("A resumed series keeps the position and the anchor of the earlier run")
    func resumed() {
        let anchor = WallTime(seconds: 1000, nanoseconds: 0, utcOffset: 0)
        var progress = SeriesProgress(
            SeriesPosition(anchor: anchor, lastIndex: 3, lastDue: anchor.adding(.seconds(30))))
        #expect(progress.position?.lastIndex == 3)
        progress.record(.willCapture(slot(4)))
        #expect(progress.position?.anchor == anchor && progress.position?.lastIndex == 4)
    }
}
