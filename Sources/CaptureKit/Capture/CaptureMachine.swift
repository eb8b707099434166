// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// What a capture does next: a pure state machine, with no camera and no clock of its own.
///
/// The controller tells it what happened, and carries out what it answers. It accounts for every slot exactly once:
/// picked, which is later stored, or missed.
///
///     idle ─start→ opening ─ready→ waiting ─due→ picking ─found→ taking ─picked→ waiting … ─last slot→ draining ─→ ended
///
/// The camera may be lost and come back, or rest where the next slot is far: slots go on, and one that is due waits for it
/// until the next is.
///
/// Where pictures are asked for, it stands by in place of waiting, until it is triggered, a timer runs or it repeats.
///
/// From every phase `finish` leads to draining after the picture in hand, `cancel` and `lost` at once. Draining ends when
/// all is stored.
struct CaptureMachine: Sendable {
    /// Where it stands.
    enum Phase: Sendable, Hashable {
        case idle
        case opening
        case waiting(Slot)
        /// Nothing is due until somebody asks.
        case standby
        /// The frame nearest the slot's moment is looked for.
        case picking(Slot)
        /// The slot has its frame; the rest of its burst follows.
        case taking(Slot)
        case draining(CaptureSummary.Ending)
        case ended
    }

    let plan: Plan
    var phase = Phase.idle
    /// Slots whose pictures are not stored yet.
    var backlog = 0
    /// Further than this from its moment, a picture is late.
    var tolerance = Duration.milliseconds(150)
    var started = ClockTime.zero
    var series: SlotSeries
    /// The moment after which nobody can ask any more.
    var deadline: ClockTime?
    var countdown = Countdown()
    /// The slot ahead that was told of last.
    var announced: Slot?
    /// The picture that is being counted down to because somebody asked for it; never two.
    var timer: Slot?
    var triggers = 0
    /// Slots that have their frames.
    var picked = 0
    /// True while the camera delivers.
    var hasCamera = false
    var rest: CameraRest
    var isTriggerPending = false
    /// Why it ends after the picture in hand.
    var finishing: CaptureSummary.Ending?
    /// Why the source gives no more frames than it has given.
    var sourceEnd: CaptureError?

    init(_ plan: Plan) {
        self.plan = plan
        rest = CameraRest(plan.rest)
        series = SlotSeries(plan.schedule, timeLine: plan.timeLine)
    }

    /// When the next picture is due, if that is known: the camera may rest until then.
    var nextDue: ClockTime? { nextSlot?.due }

    /// True while the camera is closed until a slot comes near.
    var isResting: Bool { rest.isOn }

    /// True where all frames that will ever be needed are chosen.
    var needsNoFrames: Bool {
        switch phase {
        case .draining, .ended: true
        default: false
        }
    }

    /// From when the slots are counted, once that is known.
    var anchor: WallTime? { series.hasBegun ? WallTime(series.anchor) : nil }

    /// Slots of a schedule with an end that were never come to.
    var unreachedSlots: Int {
        (series.hasBegun ? series.remaining : plan.schedule.total(on: plan.timeLine, from: started)) ?? 0
    }

    /// Takes in what happened at `now`, and answers what to do about it, in order.
    mutating func handle(_ input: Input, at now: ClockTime) -> [Effect] {
        switch (phase, input) {
        case (.idle, .start): return open(now)
        case (.opening, .ready): return becomeReady(now)
        case (_, .ready): return regainCamera(now)
        // A series that goes on is anchored without it: its slots are missed one by one until the camera is there.
        case (.opening, .interrupted) where plan.position != nil: return anchor(now)
        case (_, .interrupted): return loseCamera()
        case (.waiting(let slot), .wake): return wake(for: slot, now)
        case (.standby, .wake): return goOn(now)
        case (.picking(let slot), .wake): return wake(whilePicking: slot, now)
        case (.picking(let slot), .found): return keep(slot)
        case (.picking(let slot), .tooLate): return miss(slot, .late, now)
        case (.picking(let slot), .noFrame(let error)): return giveUp(slot, becauseOf: error)
        case (.taking(let slot), .picked): return hand(over: slot, now)
        case (.waiting, .trigger), (.standby, .trigger): return takeNow(now)
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
        // A delay says when the first slot is due, and is what time there is to tell of it.
        let notice = plan.delay > .zero ? .zero : plan.notice
        series.begin(at: max(started + plan.delay, now + max(plan.countdown, notice, plan.preparation)))
        return goOn(now)
    }

    /// Nobody was there for what was due before the start, and the camera was not for what came before now. Of a
    /// successor it is only the camera.
    mutating func resume(_ position: SeriesPosition, _ now: ClockTime) -> [Effect] {
        if plan.succession == .newPhase {
            series.begin(at: now, after: position)
            return goOn(now)
        }
        series.resume(position)
        guard plan.succession == nil else { return goOn(now) }
        let missed = [series.skip(before: started), series.skip(untilLatestBy: now)].compactMap { $0 }
        guard let first = missed.first, let last = missed.last else { return goOn(now) }
        return [.missed(SlotRun(from: first.first, through: last.last), .notRunning)] + goOn(now)
    }

    /// Goes to the next slot that can still be met, and accounts for those that cannot.
    mutating func goOn(_ now: ClockTime) -> [Effect] {
        if let finishing { return drain(finishing) }
        if hasEnough(now) { return drain(.completed) }
        if isTriggerPending, !isSingle || series.index == 0 { return takeNow(now) }
        let missed = skipSlots(until: now)
        if let next = nextSlot { return missed + wait(for: next, now) }
        return missed + (plan.schedule.isOnRequest ? standBy() : drain(.completed))
    }

    /// The timer's, or that of the series.
    var nextSlot: Slot? { [timer, series.next].compactMap { $0 }.min { $0.due < $1.due } }

    mutating func wait(for slot: Slot, _ now: ClockTime) -> [Effect] {
        if let sourceEnd, !isDue(slot, now) { return drain(.failed(sourceEnd)) }
        phase = .waiting(slot)
        if timer == nil { countdown = Countdown(to: slot.due, of: countedSpan(before: slot), from: now) }
        return restOrRouse(before: slot, now) + count(down: slot, now)
    }

    /// A slot can be met, late, until the one after it is due; or not at all.
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
        if hasEnough(now) || isScheduled(slot) && isOver { return goOn(now) }
        return isDue(slot, now) ? begin(slot, now) : restOrRouse(before: slot, now) + count(down: slot, now)
    }

    mutating func takeNow(_ now: ClockTime) -> [Effect] {
        isTriggerPending = false
        // Of a single picture it is the moment that changes, and not the number of pictures.
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

    /// The slot after the next ends the search for a frame, be it for the next, or for a trigger that is in its way: then
    /// the next can still be met, late. The last waits for a camera that is lost, and else for as long as frames may come.
    func endOfSearch(for slot: Slot) -> ClockTime? {
        if let following = isNext(slot) ? series.afterNext : series.next { return following.due }
        return plan.recovers ? slot.due + (series.schedule.interval ?? Self.patience) : nil
    }

    /// How long a lost camera is waited for with a picture that no other follows.
    static let patience = Duration.seconds(10)

    /// False for a slot of a repetition that another one took the place of meanwhile.
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

    /// The wake may be one that was asked for before a trigger came.
    mutating func wake(whilePicking slot: Slot, _ now: ClockTime) -> [Effect] {
        guard let end = endOfSearch(for: slot) else { return [] }
        return now < end ? [.wake(end)] : miss(slot, hasCamera ? .noFrame : .lost, now)
    }

    mutating func miss(_ slot: Slot, _ reason: MissReason, _ now: ClockTime) -> [Effect] {
        [.abandonPick, .missed(SlotRun(slot), reason)] + leave(slot, now)
    }

    /// Where the camera may come back, the slot waits for it.
    mutating func giveUp(_ slot: Slot, becauseOf error: CaptureError) -> [Effect] {
        if plan.recovers, sourceEnd == nil { return loseCamera() }
        pass(slot)
        return [.missed(SlotRun(slot), .noFrame)] + drain(.failed(error))
    }

    mutating func leave(_ slot: Slot, _ now: ClockTime) -> [Effect] {
        pass(slot)
        return goOn(now)
    }

    mutating func pass(_ slot: Slot) {
        if isScheduled(slot), isNext(slot) { series.advance() }
    }

    func isScheduled(_ slot: Slot) -> Bool { slot.cause == .schedule || isSingle }

    var isSingle: Bool { plan.schedule.isSingle }

    func isDue(_ slot: Slot, _ now: ClockTime) -> Bool { now + lead >= slot.due }

    var lead: Duration { series.schedule.interval.map { min(plan.lead, $0 / 2) } ?? plan.lead }
}
