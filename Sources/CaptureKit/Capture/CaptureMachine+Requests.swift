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

/// Handling of a camera that is lost and comes back, or that rests.
extension CaptureMachine {
    mutating func loseCamera() -> [Effect] {
        (hasCamera, isExhausted) = (false, false)
        return []
    }

    /// Lets the current slot get its frame from the reopened camera.
    mutating func regainCamera(_ now: ClockTime) -> [Effect] {
        guard !hasCamera, !rest.isOn else { return [] }
        (hasCamera, isExhausted) = (true, false)
        rest.learn(now)
        if case .picking(let slot) = phase { return [.pick(slot)] }
        return []
    }

    /// Closes the camera if the slot is far away, and reopens it in time for the slot.
    mutating func restOrRouse(before slot: Slot, _ now: ClockTime) -> [Effect] {
        if let end = rest.end(before: slot.due) { return now < end ? [] : rouse(now) }
        guard hasCamera, sourceEnd == nil, rest.begin(before: slot.due, at: now) else { return [] }
        hasCamera = false
        return [.rest(until: slot)]
    }

    mutating func rouse(_ now: ClockTime) -> [Effect] { rest.finish(now) ? [.rouse] : [] }
}

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

extension CaptureMachine {
    mutating func stored() -> [Effect] {
        backlog = max(0, backlog - 1)
        guard case .draining(let ending) = phase, backlog == 0 else { return [] }
        return end(ending)
    }

    /// Ends after the current picture.
    mutating func finish(_ ending: CaptureSummary.Ending) -> [Effect] {
        switch phase {
        case .picking where !hasCamera: return stop(ending, .stopped)
        case .picking:
            finishing = finishing ?? ending
            return []
        case .taking:
            // A burst may be long: stop after the current frame.
            finishing = finishing ?? ending
            return [.abandonPick]
        default: return drain(ending)
        }
    }

    /// Captures no more pictures, and waits until the pending ones are stored.
    mutating func drain(_ ending: CaptureSummary.Ending) -> [Effect] {
        if needsNoFrames { return [] }
        let calledOff = timer.map { [Effect.calledOff($0)] } ?? []
        timer = nil
        guard backlog > 0 else { return calledOff + end(ending) }
        phase = .draining(ending)
        return calledOff
    }

    /// Captures no more pictures. If the machine is already draining, it does not wait for the pictures that are being
    /// stored.
    mutating func cancel() -> [Effect] {
        guard case .draining(let ending) = phase else { return stop(.stopped, .stopped) }
        return end(ending == .completed ? .stopped : ending)
    }

    /// Captures no more pictures, not even the one that is being chosen.
    mutating func stop(_ ending: CaptureSummary.Ending, _ reason: MissReason) -> [Effect] {
        switch phase {
        case .picking(let slot):
            pass(slot)
            return [.abandonPick, .missed(SlotRun(slot), reason)] + drain(ending)
        case .taking(let slot):
            pass(slot)
            backlog += 1
            return [.abandonPick] + drain(ending)
        default: return drain(ending)
        }
    }

    /// Handles the end of the source. The current slot, or one that is due, may still get a frame that came before,
    /// unless a search has already ended without one; a slot that is due later cannot.
    mutating func endSource(_ error: CaptureError, _ now: ClockTime) -> [Effect] {
        sourceEnd = error
        if isExhausted { return stop(.failed(error), .noFrame) }
        switch phase {
        case .standby: return drain(.failed(error))
        case .waiting(let slot): return isDue(slot, now) ? [] : drain(.failed(error))
        default: return []
        }
    }

    mutating func end(_ ending: CaptureSummary.Ending) -> [Effect] {
        phase = .ended
        return [.end(ending)]
    }
}
