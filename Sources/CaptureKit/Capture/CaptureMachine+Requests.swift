// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

extension CaptureMachine {
    mutating func standBy() -> [Effect] {
        if let sourceEnd { return drain(.failed(sourceEnd)) }
        phase = .standby
        return deadline.map { [.wake($0)] } ?? []
    }

    /// Returns `true` if the requested number of pictures is reached, or the time for requests is over.
    func hasEnough(_ now: ClockTime) -> Bool {
        guard plan.schedule.isOnRequest else { return false }
        return plan.schedule.count.map { picked >= $0 } ?? false || deadline.map { now >= $0 } ?? false
    }

    /// Starts the self-timer, or cancels the running one. A single picture has no timer.
    mutating func toggleTimer(_ delay: Duration, _ now: ClockTime) -> [Effect] {
        guard !needsNoFrames, !isSingle else { return [] }
        if let slot = timer {
            (timer, countdown) = (nil, Countdown())
            return [.calledOff(slot)] + reconsider(now)
        }
        timer = Slot(index: triggers, due: now + delay, cause: .trigger)
        triggers += 1
        countdown = Countdown(to: now + delay, of: delay, from: now)
        return reconsider(now)
    }

    /// Replaces the repetition. Slot numbers continue after the current slot, which already has its number.
    mutating func repeatPictures(every interval: Duration?, _ now: ClockTime) -> [Effect] {
        guard !needsNoFrames, plan.schedule.isOnRequest else { return [] }
        let schedule = interval.map { Schedule.every($0) } ?? plan.schedule
        let firstIndex = max(series.index, slotInHand.map { $0.index + 1 } ?? 0)
        series = SlotSeries(schedule, firstIndex: firstIndex, timeLine: series.timeLine)
        series.begin(at: now)
        return reconsider(now)
    }

    /// The slot of the schedule that is being captured; `nil` if there is none.
    var slotInHand: Slot? {
        switch phase {
        case .picking(let slot), .taking(let slot): isScheduled(slot) ? slot : nil
        default: nil
        }
    }

    /// Chooses the next slot again: a change may have put another one first.
    mutating func reconsider(_ now: ClockTime) -> [Effect] {
        switch phase {
        case .waiting, .standby: proceed(now)
        default: []
        }
    }
}
