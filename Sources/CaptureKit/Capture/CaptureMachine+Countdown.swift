// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

extension CaptureMachine {
    /// Emits the current second of the countdown and the notice of the slot, if they are due. Schedules the next wake:
    /// for the next second, or for the moment from which frames are examined.
    mutating func count(down slot: Slot, _ now: ClockTime) -> [Effect] {
        let second = countdown.dueSecond(at: now).map { Effect.countdown(timer ?? slot, $0) }
        let upcoming = upcomingNotice(slot, now)
        let moments = [slot.due - lead, rest.end(before: slot.due), countdown.next, noticeTime(of: slot), deadline]
            .compactMap { $0 }
        return [upcoming, second, moments.min().map { .wake($0) }].compactMap { $0 }
    }

    /// Returns the notice of the next slot, once and in time.
    mutating func upcomingNotice(_ slot: Slot, _ now: ClockTime) -> Effect? {
        guard let time = noticeTime(of: slot), time <= now, now < slot.due else { return nil }
        announced = slot
        return .upcoming(slot, slot.due - now)
    }

    /// When the notice of the slot is due; `nil` if notices are off or it was already emitted.
    func noticeTime(of slot: Slot) -> ClockTime? {
        plan.notice > .zero && announced != slot ? slot.due - plan.notice : nil
    }

    /// Returns how long before the slot its countdown begins. A delay is a self-timer: its seconds are counted, too.
    func countedSpan(before slot: Slot) -> Duration {
        slot.index == 0 ? max(plan.countdown, plan.delay) : plan.countdown
    }
}
