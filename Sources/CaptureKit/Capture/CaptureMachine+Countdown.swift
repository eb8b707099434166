// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension CaptureMachine {
    /// Tells the second that has come, and asks to be woken for the next, or when frames have to be looked at.
    mutating func count(down slot: Slot, _ now: ClockTime) -> [Effect] {
        let told = countdown.tell(at: now).map { Effect.countdown(timer ?? slot, $0) }
        let upcoming = announce(slot, now)
        let moments = [slot.due - lead, rest.end(before: slot.due), countdown.next, noticeTime(of: slot), deadline]
            .compactMap { $0 }
        return [upcoming, told, moments.min().map { .wake($0) }].compactMap { $0 }
    }

    /// Tells of the slot ahead, once and in time.
    mutating func announce(_ slot: Slot, _ now: ClockTime) -> Effect? {
        guard let time = noticeTime(of: slot), time <= now, now < slot.due else { return nil }
        announced = slot
        return .upcoming(slot, slot.due - now)
    }

    /// `nil` where nobody wants to know, or it was told.
    func noticeTime(of slot: Slot) -> ClockTime? {
        plan.notice > .zero && announced != slot ? slot.due - plan.notice : nil
    }

    /// A delay is a self-timer: its seconds are counted, too.
    func countedSpan(before slot: Slot) -> Duration {
        slot.index == 0 ? max(plan.countdown, plan.delay) : plan.countdown
    }
}
