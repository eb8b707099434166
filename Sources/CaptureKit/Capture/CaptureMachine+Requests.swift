// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension CaptureMachine {
    mutating func standBy() -> [Effect] {
        if let sourceEnd { return drain(.failed(sourceEnd)) }
        phase = .standby
        return deadline.map { [.wake($0)] } ?? []
    }

    /// True where as many pictures were asked for as there are to be, or the time for that is over.
    func hasEnough(_ now: ClockTime) -> Bool {
        guard plan.schedule.isOnRequest else { return false }
        return plan.schedule.count.map { picked >= $0 } ?? false || deadline.map { now >= $0 } ?? false
    }

    /// Of a single picture the moment is settled.
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

    /// Numbers go on where they were: the slot in hand has one already.
    mutating func repeatPictures(every interval: Duration?, _ now: ClockTime) -> [Effect] {
        guard !needsNoFrames, plan.schedule.isOnRequest else { return [] }
        let schedule = interval.map { Schedule.every($0) } ?? plan.schedule
        let firstIndex = max(series.index, slotInHand.map { $0.index + 1 } ?? 0)
        series = SlotSeries(schedule, firstIndex: firstIndex, timeLine: series.timeLine)
        series.begin(at: now)
        return reconsider(now)
    }

    /// The slot of the schedule that is being taken, if one is.
    var slotInHand: Slot? {
        switch phase {
        case .picking(let slot), .taking(let slot): isScheduled(slot) ? slot : nil
        default: nil
        }
    }

    /// Something else may be next now.
    mutating func reconsider(_ now: ClockTime) -> [Effect] {
        switch phase {
        case .waiting, .standby: goOn(now)
        default: []
        }
    }
}
