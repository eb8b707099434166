// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// The position in a series, computed from its events. After a reload, the series continues from there.
struct SeriesProgress: Sendable {
    /// The position; `nil` before the first slot.
    private(set) var position: SeriesPosition?

    /// Creates the progress of a series that begins, or continues an earlier run.
    init(_ position: SeriesPosition? = nil) { self.position = position }

    /// Applies an event.
    mutating func record(_ event: CaptureEvent) {
        switch event {
        case .willCapture(let slot): pass(SlotRun(slot))
        case .missed(let slots, _): pass(slots)
        default: break
        }
    }

    private mutating func pass(_ slots: SlotRun) {
        guard slots.first.cause == .schedule else { return }
        let (anchor, last) = (position?.anchor ?? slots.first.dueTime, slots.last)
        position = SeriesPosition(anchor: anchor, lastIndex: last.index, lastDue: last.dueTime)
    }
}
