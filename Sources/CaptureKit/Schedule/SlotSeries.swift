// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The slots of a schedule that begins at a moment, numbered on from those that were before.
struct SlotSeries: Sendable {
    let schedule: Schedule
    /// When the first slot is due.
    var anchor: ClockTime
    /// The number of the first slot.
    let firstIndex: Int

    init(_ schedule: Schedule, anchor: ClockTime = .zero, firstIndex: Int = 0) {
        self.schedule = schedule
        self.anchor = anchor
        self.firstIndex = firstIndex
    }

    /// The slot of this number; `nil` where there is none.
    func slot(_ index: Int) -> Slot? {
        schedule.offset(of: index - firstIndex).map { Slot(index: index, due: anchor + $0) }
    }

    /// The number of the last slot that is due by now; that of the first where none is.
    func latestIndex(at now: ClockTime) -> Int { firstIndex + (schedule.lastIndex(dueBy: now - anchor) ?? 0) }
}
