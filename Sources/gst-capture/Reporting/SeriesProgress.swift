// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// How far a series is, gathered from its events: with other settings it goes on there.
struct SeriesProgress: Sendable {
    /// Where it stands; `nil` before its first slot.
    private(set) var position: SeriesPosition?

    /// Begins with what an earlier run did of it, if one did.
    init(_ position: SeriesPosition? = nil) { self.position = position }

    /// Takes an event into account.
    mutating func note(_ event: CaptureEvent) {
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
