// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

/// Decides what a capture does next: a pure state machine that uses no camera and reads no clock.
///
/// The controller sends it inputs and performs the effects that it returns. It accounts for every slot exactly once:
/// picked, and later stored, or missed.
///
///     idle ─start→ opening ─ready→ waiting ─due→ picking ─found→ taking ─picked→ waiting …
///                                  waiting ─last slot→ draining ─→ ended
///
/// The camera may be lost and come back, or rest if the next slot is far away. Slots continue meanwhile: a slot that is
/// due waits for the camera until the next slot is due.
///
/// With a schedule on request, the machine stands by until a trigger, a timer or a repetition.
///
/// From every phase, `finish` leads to draining after the current picture, and `cancel` and `lost` lead there at once.
/// Draining ends when all pictures are stored.
struct CaptureMachine: Sendable {
    /// The state of the capture.
    enum Phase: Sendable, Hashable {
        case idle
        case opening
        case waiting(Slot)
        /// No slot is due until a picture is requested.
        case standby
        /// The controller looks for the frame nearest to the slot's moment.
        case picking(Slot)
        /// The slot has its frame; the rest of its burst follows.
        case taking(Slot)
        case draining(CaptureSummary.Ending)
        case ended
    }

    let plan: Plan
    var phase = Phase.idle
    /// The number of slots whose pictures are not stored yet.
    var backlog = 0
    /// The offset beyond which a picture is late.
    var tolerance = Duration.milliseconds(150)
    var started = ClockTime.zero
    var series: SlotSeries
    /// The end of a schedule on request, after which no picture can be requested; `nil` if it has none.
    var deadline: ClockTime?
    var countdown = Countdown()
    /// The last slot that was emitted as upcoming.
    var announced: Slot?
    /// The requested picture to which the self-timer counts down; there is at most one.
    var timer: Slot?
    var triggers = 0
    /// The number of slots that have their frames.
    var picked = 0
    /// `true` if the camera delivers frames.
    var hasCamera = false
    /// `true` after a search ended without a frame, until the camera is lost or ready: the source may have ended.
    var isExhausted = false
    var rest: CameraRest
    var isTriggerPending = false
    /// Why the capture ends after the current picture; `nil` if it continues.
    var finishing: CaptureSummary.Ending?
    /// The error with which the source ended; `nil` if it has not ended.
    var sourceEnd: CaptureError?

    init(_ plan: Plan) {
        self.plan = plan
        rest = CameraRest(plan.rest)
        series = SlotSeries(plan.schedule, timeLine: plan.timeLine)
    }

    /// When the next picture is due, until which the camera may rest; `nil` if that is unknown.
    var nextDue: ClockTime? { nextSlot?.due }

    /// `true` if the camera is closed until shortly before a slot.
    var isResting: Bool { rest.isOn }

    /// `true` if all frames that the capture needs are chosen.
    var needsNoFrames: Bool {
        switch phase {
        case .draining, .ended: true
        default: false
        }
    }

    /// The moment from which the slots are counted; `nil` before it is known.
    var anchor: WallTime? { series.hasBegun ? WallTime(series.anchor) : nil }

    /// The number of slots that the capture has not reached; 0 for a schedule without an end.
    var unreachedSlots: Int {
        (series.hasBegun ? series.remaining : plan.schedule.total(on: plan.timeLine, from: started)) ?? 0
    }

    /// Handles an input at `now`. Returns the effects to perform, in order.
    mutating func handle(_ input: Input, at now: ClockTime) -> [Effect] {
        switch (phase, input) {
        case (.idle, .start): return open(now)
        case (.opening, .ready): return becomeReady(now)
        case (_, .ready): return regainCamera(now)
        // A resumed series is anchored before the camera is ready: its slots are missed one by one until then.
        case (.opening, .interrupted) where plan.position != nil: return anchor(now)
        case (_, .interrupted): return loseCamera()
        case (.waiting(let slot), .wake): return wake(for: slot, now)
        case (.standby, .wake): return proceed(now)
        case (.picking(let slot), .wake): return wake(whilePicking: slot, now)
        case (.picking(let slot), .found): return keep(slot)
        case (.picking(let slot), .tooLate): return miss(slot, .late, now)
        case (.picking(let slot), .noFrame(let error)): return giveUp(slot, becauseOf: error)
        case (.taking(let slot), .picked): return hand(over: slot, now)
        case (.waiting, .trigger), (.standby, .trigger): return captureNow(now)
        case (.idle, .trigger), (.opening, .trigger), (.picking, .trigger), (.taking, .trigger):
            return remember(&isTriggerPending)
        case (_, .timer(let delay)): return toggleTimer(delay, now)
        case (_, .repetition(let interval)): return repeatPictures(every: interval, now)
        case (_, .suspended(let span)): return makeUp(for: span, now)
        case (_, .clockSet(let timeLine)): return follow(timeLine, now)
        case (_, .finish): return finish(.stopped)
        case (_, .limit(let error)): return finish(.failed(error))
        case (_, .cancel): return cancel()
        case (_, .ended(let error)): return endSource(error, now)
        case (_, .lost(let error)): return stop(.failed(error), .noFrame)
        case (_, .stored): return stored()
        default: return []
        }
    }

    private func remember(_ wish: inout Bool) -> [Effect] {
        wish = true
        return []
    }
}

// MARK: From slot to slot

extension CaptureMachine {
    mutating func open(_ now: ClockTime) -> [Effect] {
        started = now
        phase = .opening
        return [.open]
    }

    mutating func becomeReady(_ now: ClockTime) -> [Effect] {
        hasCamera = true
        return anchor(now)
    }

    mutating func anchor(_ now: ClockTime) -> [Effect] {
        if plan.schedule.isOnRequest { deadline = plan.schedule.length.map { now + $0 } }
        if let position = plan.position { return resume(position, now) }
        // A delay determines when the first slot is due; the notice comes within that delay.
        let notice = plan.delay > .zero ? .zero : plan.notice
        series.begin(at: max(started + plan.delay, now + max(plan.countdown, notice, plan.preparation, plan.motion)))
        return proceed(now)
    }

    /// Resumes a series. Slots that were due before the start are missed, as no process ran then. Slots that were due
    /// between the start and now are missed as well, as the camera was not open yet, except for the latest, which can
    /// still be met. After a hand-over in this process only the latter exist, and ``proceed(_:)`` skips them.
    mutating func resume(_ position: SeriesPosition, _ now: ClockTime) -> [Effect] {
        if plan.succession == .newPhase {
            series.begin(at: now, after: position)
            return proceed(now)
        }
        let clockIsBehind = series.resume(position, at: now).map { [Effect.clockIsBehind($0)] } ?? []
        return clockIsBehind + (plan.succession == nil ? missPassed(now) : []) + proceed(now)
    }

    private mutating func missPassed(_ now: ClockTime) -> [Effect] {
        let missed = [series.skip(before: started), series.skip(untilLatestBy: now)].compactMap { $0 }
        guard let first = missed.first, let last = missed.last else { return [] }
        return [.missed(SlotRun(from: first.first, through: last.last), .notRunning)]
    }

    /// Proceeds to the next slot that can still be met, and reports the slots before it as missed.
    mutating func proceed(_ now: ClockTime) -> [Effect] {
        if let finishing { return drain(finishing) }
        if hasEnough(now) { return drain(.completed) }
        if isTriggerPending, !isSingle || series.index == 0 { return captureNow(now) }
        let missed = skipSlots(until: now)
        if let next = nextSlot { return missed + wait(for: next, now) }
        return missed + (plan.schedule.isOnRequest ? standBy() : drain(.completed))
    }

    /// The timer's slot or the next of the series, whichever is due first.
    var nextSlot: Slot? { [timer, series.next].compactMap { $0 }.min { $0.due < $1.due } }

    mutating func wait(for slot: Slot, _ now: ClockTime) -> [Effect] {
        if let sourceEnd, !isDue(slot, now) { return drain(.failed(sourceEnd)) }
        phase = .waiting(slot)
        if timer == nil { countdown = Countdown(to: slot.due, of: countedSpan(before: slot), from: now) }
        return restOrRouse(before: slot, now) + count(down: slot, now)
    }

    /// Skips the slots that can no longer be met. With ``LatePolicy/late``, a slot can be met until the slot after it
    /// is due.
    mutating func skipSlots(until now: ClockTime) -> [Effect] {
        let overslept = series.skip(untilLatestBy: now).map { Effect.missed($0, .overslept) }
        let late = isTooLate(now) ? series.skip(before: now).map { Effect.missed($0, .late) } : nil
        return [overslept, late].compactMap { $0 }
    }

    func isTooLate(_ now: ClockTime) -> Bool {
        plan.schedule.latePolicy == .skip && series.next.map { now - $0.due > tolerance } ?? false
    }

    mutating func wake(for slot: Slot, _ now: ClockTime) -> [Effect] {
        let isOver = series.afterNext.map { now >= $0.due } ?? false || isTooLate(now)
        if hasEnough(now) || isScheduled(slot) && isOver { return proceed(now) }
        return isDue(slot, now) ? begin(slot, now) : restOrRouse(before: slot, now) + count(down: slot, now)
    }

    mutating func captureNow(_ now: ClockTime) -> [Effect] {
        isTriggerPending = false
        // For a single picture, a trigger changes the moment and not the number of pictures.
        if isSingle { return begin(Slot(index: series.index, due: now + plan.preparation, cause: .trigger), now) }
        defer { triggers += 1 }
        return begin(Slot(index: triggers, due: now + plan.preparation, cause: .trigger), now)
    }

    mutating func begin(_ slot: Slot, _ now: ClockTime) -> [Effect] {
        if slot == timer { timer = nil }
        guard backlog < plan.backlogLimit else { return [.missed(SlotRun(slot), .backlog)] + leave(slot, now) }
        phase = .picking(slot)
        return rouse(now) + (hasCamera ? [.pick(slot)] : []) + (endOfSearch(for: slot).map { [.wake($0)] } ?? [])
    }

    /// Returns when the search for a frame for `slot` times out; `nil` if it has no limit. The search for the next
    /// slot, or for a trigger before it, ends when the slot after the next is due: until then, the next slot can still
    /// be met late. If no other slot follows and a lost camera is recovered, the search ends one interval, or
    /// ``patience``, after `slot` is due. Otherwise it lasts while frames may arrive.
    func endOfSearch(for slot: Slot) -> ClockTime? {
        if let following = isNext(slot) ? series.afterNext : series.next { return following.due }
        return plan.recovers ? slot.due + (series.schedule.interval ?? Self.patience) : nil
    }

    /// How long a picture without a following slot waits for a lost camera.
    static let patience = Duration.seconds(10)

    /// Returns `false` for a slot of a repetition that another repetition has replaced.
    func isNext(_ slot: Slot) -> Bool { !isScheduled(slot) || slot.index == series.index }

    /// From here on the slot is not missed: late frames of its burst are worth more than the next slot.
    mutating func keep(_ slot: Slot) -> [Effect] {
        phase = .taking(slot)
        return []
    }

    mutating func hand(over slot: Slot, _ now: ClockTime) -> [Effect] {
        backlog += 1
        picked += 1
        return leave(slot, now)
    }

    /// Misses the slot if its search has timed out. An earlier wake may be one that was scheduled before a trigger
    /// came: then it schedules the wake for the timeout.
    mutating func wake(whilePicking slot: Slot, _ now: ClockTime) -> [Effect] {
        guard let end = endOfSearch(for: slot) else { return [] }
        return now < end ? [.wake(end)] : miss(slot, hasCamera ? .noFrame : .lost, now)
    }

    mutating func miss(_ slot: Slot, _ reason: MissReason, _ now: ClockTime) -> [Effect] {
        [.abandonPick, .missed(SlotRun(slot), reason)] + leave(slot, now)
    }

    /// Ends the search without a frame. If the camera may come back, the slot waits for it instead, or for the event
    /// that the source has ended, which can come after the last frame.
    mutating func giveUp(_ slot: Slot, becauseOf error: CaptureError) -> [Effect] {
        if plan.recovers, sourceEnd == nil {
            (hasCamera, isExhausted) = (false, true)
            return []
        }
        pass(slot)
        return [.missed(SlotRun(slot), .noFrame)] + drain(.failed(error))
    }

    mutating func leave(_ slot: Slot, _ now: ClockTime) -> [Effect] {
        pass(slot)
        return proceed(now)
    }

    mutating func pass(_ slot: Slot) {
        if isScheduled(slot), isNext(slot) { series.advance() }
    }

    func isScheduled(_ slot: Slot) -> Bool { slot.cause == .schedule || isSingle }

    var isSingle: Bool { plan.schedule.isSingle }

    func isDue(_ slot: Slot, _ now: ClockTime) -> Bool { now + lead >= slot.due }

    var lead: Duration { series.schedule.interval.map { min(plan.lead, $0 / 2) } ?? plan.lead }
}
