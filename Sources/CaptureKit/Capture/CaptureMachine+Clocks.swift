// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

extension CaptureMachine {
    /// Moves all relative moments earlier by the length of a suspension, during which the monotonic clock stood still:
    /// nothing waits longer than it would have without the suspension.
    mutating func makeUp(for span: Duration, _ now: ClockTime) -> [Effect] {
        series.suspend(span)
        started = started - span
        deadline = deadline.map { $0 - span }
        countdown.bringForward(by: span)
        timer = timer.map { Slot(index: $0.index, due: $0.due - span, cause: $0.cause) }
        return wakeAnew(now)
    }

    mutating func follow(_ timeLine: TimeLine, _ now: ClockTime) -> [Effect] {
        series.set(timeLine, at: now, isInHand: slotInHand.map(isNext) ?? false)
        return wakeAnew(now)
    }

    /// Schedules the wake again: its moment may have changed.
    mutating func wakeAnew(_ now: ClockTime) -> [Effect] {
        if case .picking(let slot) = phase { return wake(whilePicking: slot, now) }
        return reconsider(now)
    }
}
