// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// What a capture does next: a pure state machine, with no camera and no clock of its own.
///
/// The controller tells it what happened, and carries out what it answers. It accounts for every slot exactly once:
/// picked, which is later stored, or missed.
///
///     idle ─start→ opening ─ready→ waiting ─due→ picking ─found→ taking ─picked→ waiting … ─last slot→ draining ─→ ended
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
    private(set) var phase = Phase.idle
    /// Slots whose pictures are not stored yet.
    private(set) var backlog = 0
    /// Further than this from its moment, a picture is late.
    var tolerance = Duration.milliseconds(150)
    private var started = ClockTime.zero
    private var series: SlotSeries
    /// The moment after which nobody can ask any more.
    private var deadline: ClockTime?
    private var countdown = Countdown()
    /// The slot ahead that was told of last.
    private var announced: Slot?
    /// The picture that is being counted down to because somebody asked for it; never two.
    private var timer: Slot?
    private var triggers = 0
    /// Slots that have their frames.
    private var picked = 0
    /// True while the camera delivers.
    private var hasCamera = false
    private var rest: CameraRest
    private var isTriggerPending = false
    /// Why it ends after the picture in hand.
    private var finishing: CaptureSummary.Ending?
    /// Why the source gives no more frames than it has given.
    private var sourceEnd: CaptureError?

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
    private mutating func open(_ now: ClockTime) -> [Effect] {
        started = now
        phase = .opening
        return [.open]
    }

    private mutating func becomeReady(_ now: ClockTime) -> [Effect] {
        hasCamera = true
        return anchor(now)
    }

    private mutating func anchor(_ now: ClockTime) -> [Effect] {
        if plan.schedule.isOnRequest { deadline = plan.schedule.length.map { now + $0 } }
        if let position = plan.position { return resume(position, now) }
        // A delay says when the first slot is due, and is what time there is to tell of it.
        let notice = plan.delay > .zero ? .zero : plan.notice
        series.begin(at: max(started + plan.delay, now + max(plan.countdown, notice)))
        return goOn(now)
    }

    /// Nobody was there for what was due before the start, and the camera was not for what came before now.
    private mutating func resume(_ position: SeriesPosition, _ now: ClockTime) -> [Effect] {
        series.resume(position)
        let missed = [series.skip(before: started), series.skip(untilLatestBy: now)].compactMap { $0 }
        guard let first = missed.first, let last = missed.last else { return goOn(now) }
        return [.missed(SlotRun(from: first.first, through: last.last), .notRunning)] + goOn(now)
    }

    /// Goes to the next slot that can still be met, and accounts for those that cannot.
    private mutating func goOn(_ now: ClockTime) -> [Effect] {
        if let finishing { return drain(finishing) }
        if hasEnough(now) { return drain(.completed) }
        if isTriggerPending, !isSingle || series.index == 0 { return takeNow(now) }
        let missed = skipSlots(until: now)
        if let next = nextSlot { return missed + wait(for: next, now) }
        return missed + (plan.schedule.isOnRequest ? standBy() : drain(.completed))
    }

    /// The timer's, or that of the series.
    private var nextSlot: Slot? { [timer, series.next].compactMap { $0 }.min { $0.due < $1.due } }

    private mutating func wait(for slot: Slot, _ now: ClockTime) -> [Effect] {
        if let sourceEnd, !isDue(slot, now) { return drain(.failed(sourceEnd)) }
        phase = .waiting(slot)
        if timer == nil { countdown = Countdown(to: slot.due, of: countedSpan(before: slot), from: now) }
        return restOrRouse(before: slot, now) + count(down: slot, now)
    }

    /// A slot can be met, late, until the one after it is due; or not at all.
    private mutating func skipSlots(until now: ClockTime) -> [Effect] {
        let overslept = series.skip(untilLatestBy: now).map { Effect.missed($0, .overslept) }
        let late = isTooLate(now) ? series.skip(before: now).map { Effect.missed($0, .late) } : nil
        return [overslept, late].compactMap { $0 }
    }

    private func isTooLate(_ now: ClockTime) -> Bool {
        plan.schedule.latePolicy == .skip && series.next.map { now - $0.due > tolerance } ?? false
    }

    private mutating func wake(for slot: Slot, _ now: ClockTime) -> [Effect] {
        let isOver = series.afterNext.map { now >= $0.due } ?? false || isTooLate(now)
        if hasEnough(now) || isScheduled(slot) && isOver { return goOn(now) }
        return isDue(slot, now) ? begin(slot, now) : restOrRouse(before: slot, now) + count(down: slot, now)
    }

    private mutating func takeNow(_ now: ClockTime) -> [Effect] {
        isTriggerPending = false
        // Of a single picture it is the moment that changes, and not the number of pictures.
        if isSingle { return begin(Slot(index: series.index, due: now, cause: .trigger), now) }
        defer { triggers += 1 }
        return begin(Slot(index: triggers, due: now, cause: .trigger), now)
    }

    private mutating func begin(_ slot: Slot, _ now: ClockTime) -> [Effect] {
        if slot == timer { timer = nil }
        guard backlog < plan.backlogLimit else { return [.missed(SlotRun(slot), .backlog)] + leave(slot, now) }
        phase = .picking(slot)
        return rouse(now) + (hasCamera ? [.pick(slot)] : []) + (endOfSearch(for: slot).map { [.wake($0)] } ?? [])
    }

    /// The slot after the next ends the search for a frame, be it for the next, or for a trigger that is in its way: then
    /// the next can still be met, late. The last waits for a camera that is lost, and else for as long as frames may come.
    private func endOfSearch(for slot: Slot) -> ClockTime? {
        if let following = isNext(slot) ? series.afterNext : series.next { return following.due }
        return plan.recovers ? slot.due + (series.schedule.interval ?? Self.patience) : nil
    }

    /// How long a lost camera is waited for with a picture that no other follows.
    private static let patience = Duration.seconds(10)

    /// False for a slot of a repetition that another one took the place of meanwhile.
    private func isNext(_ slot: Slot) -> Bool { !isScheduled(slot) || slot.index == series.index }

    /// From here on the slot is not missed: late frames of its burst are worth more than the next slot.
    private mutating func keep(_ slot: Slot) -> [Effect] {
        phase = .taking(slot)
        return []
    }

    private mutating func hand(over slot: Slot, _ now: ClockTime) -> [Effect] {
        backlog += 1
        picked += 1
        return leave(slot, now)
    }

    /// The wake may be one that was asked for before a trigger came.
    private mutating func wake(whilePicking slot: Slot, _ now: ClockTime) -> [Effect] {
        guard let end = endOfSearch(for: slot) else { return [] }
        return now < end ? [.wake(end)] : miss(slot, hasCamera ? .noFrame : .lost, now)
    }

    private mutating func miss(_ slot: Slot, _ reason: MissReason, _ now: ClockTime) -> [Effect] {
        [.abandonPick, .missed(SlotRun(slot), reason)] + leave(slot, now)
    }

    /// Where the camera may come back, the slot waits for it.
    private mutating func giveUp(_ slot: Slot, becauseOf error: CaptureError) -> [Effect] {
        if plan.recovers, sourceEnd == nil { return loseCamera() }
        pass(slot)
        return [.missed(SlotRun(slot), .noFrame)] + drain(.failed(error))
    }

    private mutating func leave(_ slot: Slot, _ now: ClockTime) -> [Effect] {
        pass(slot)
        return goOn(now)
    }

    private mutating func pass(_ slot: Slot) {
        if isScheduled(slot), isNext(slot) { series.advance() }
    }

    private func isScheduled(_ slot: Slot) -> Bool { slot.cause == .schedule || isSingle }

    private var isSingle: Bool { plan.schedule.isSingle }

    private func isDue(_ slot: Slot, _ now: ClockTime) -> Bool { now + lead >= slot.due }

    private var lead: Duration { series.schedule.interval.map { min(plan.lead, $0 / 2) } ?? plan.lead }
}

// MARK: A camera that comes and goes

extension CaptureMachine {
    private mutating func loseCamera() -> [Effect] {
        hasCamera = false
        return []
    }

    /// The slot in hand gets its frame from the camera that is there now.
    private mutating func regainCamera(_ now: ClockTime) -> [Effect] {
        guard !hasCamera, !rest.isOn else { return [] }
        hasCamera = true
        rest.learn(now)
        if case .picking(let slot) = phase { return [.pick(slot)] }
        return []
    }
}

// MARK: Rest

extension CaptureMachine {
    /// Long before a slot the camera is closed; in time for it, it is opened again.
    private mutating func restOrRouse(before slot: Slot, _ now: ClockTime) -> [Effect] {
        if let end = rest.end(before: slot.due) { return now < end ? [] : rouse(now) }
        guard hasCamera, sourceEnd == nil, rest.begin(before: slot.due, at: now) else { return [] }
        hasCamera = false
        return [.rest(until: slot)]
    }

    private mutating func rouse(_ now: ClockTime) -> [Effect] { rest.finish(now) ? [.rouse] : [] }
}

// MARK: Clocks

extension CaptureMachine {
    /// All moments that were counted from others come earlier by the monotonic clock: nothing waits for longer than it
    /// would have.
    private mutating func makeUp(for span: Duration, _ now: ClockTime) -> [Effect] {
        series.suspend(span)
        started = started - span
        deadline = deadline.map { $0 - span }
        countdown.bringForward(by: span)
        timer = timer.map { Slot(index: $0.index, due: $0.due - span, cause: $0.cause) }
        return wakeAnew(now)
    }

    private mutating func follow(_ timeLine: TimeLine, _ now: ClockTime) -> [Effect] {
        series.set(timeLine, at: now, isInHand: slotInHand.map(isNext) ?? false)
        return wakeAnew(now)
    }

    /// The moment that was asked for may be another now.
    private mutating func wakeAnew(_ now: ClockTime) -> [Effect] {
        if case .picking(let slot) = phase { return wake(whilePicking: slot, now) }
        return reconsider(now)
    }
}

// MARK: On request

extension CaptureMachine {
    private mutating func standBy() -> [Effect] {
        if let sourceEnd { return drain(.failed(sourceEnd)) }
        phase = .standby
        return deadline.map { [.wake($0)] } ?? []
    }

    /// True where as many pictures were asked for as there are to be, or the time for that is over.
    private func hasEnough(_ now: ClockTime) -> Bool {
        guard plan.schedule.isOnRequest else { return false }
        return plan.schedule.count.map { picked >= $0 } ?? false || deadline.map { now >= $0 } ?? false
    }

    /// Of a single picture the moment is settled.
    private mutating func toggleTimer(_ delay: Duration, _ now: ClockTime) -> [Effect] {
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
    private mutating func repeatPictures(every interval: Duration?, _ now: ClockTime) -> [Effect] {
        guard !needsNoFrames, plan.schedule.isOnRequest else { return [] }
        let schedule = interval.map { Schedule.every($0) } ?? plan.schedule
        let firstIndex = max(series.index, slotInHand.map { $0.index + 1 } ?? 0)
        series = SlotSeries(schedule, firstIndex: firstIndex, timeLine: series.timeLine)
        series.begin(at: now)
        return reconsider(now)
    }

    /// The slot of the schedule that is being taken, if one is.
    private var slotInHand: Slot? {
        switch phase {
        case .picking(let slot), .taking(let slot): isScheduled(slot) ? slot : nil
        default: nil
        }
    }

    /// Something else may be next now.
    private mutating func reconsider(_ now: ClockTime) -> [Effect] {
        switch phase {
        case .waiting, .standby: goOn(now)
        default: []
        }
    }
}

// MARK: Countdown

extension CaptureMachine {
    /// Tells the second that has come, and asks to be woken for the next, or when frames have to be looked at.
    private mutating func count(down slot: Slot, _ now: ClockTime) -> [Effect] {
        let told = countdown.tell(at: now).map { Effect.countdown(timer ?? slot, $0) }
        let upcoming = announce(slot, now)
        let moments = [slot.due - lead, rest.end(before: slot.due), countdown.next, noticeTime(of: slot), deadline]
            .compactMap { $0 }
        return [upcoming, told, moments.min().map { .wake($0) }].compactMap { $0 }
    }

    /// Tells of the slot ahead, once and in time.
    private mutating func announce(_ slot: Slot, _ now: ClockTime) -> Effect? {
        guard let time = noticeTime(of: slot), time <= now, now < slot.due else { return nil }
        announced = slot
        return .upcoming(slot, slot.due - now)
    }

    /// `nil` where nobody wants to know, or it was told.
    private func noticeTime(of slot: Slot) -> ClockTime? {
        plan.notice > .zero && announced != slot ? slot.due - plan.notice : nil
    }

    /// A delay is a self-timer: its seconds are counted, too.
    private func countedSpan(before slot: Slot) -> Duration {
        slot.index == 0 ? max(plan.countdown, plan.delay) : plan.countdown
    }
}

// MARK: The end

extension CaptureMachine {
    private mutating func stored() -> [Effect] {
        backlog = max(0, backlog - 1)
        guard case .draining(let ending) = phase, backlog == 0 else { return [] }
        return end(ending)
    }

    /// Ends after the picture in hand.
    private mutating func finish(_ ending: CaptureSummary.Ending) -> [Effect] {
        switch phase {
        case .picking where !hasCamera: return stop(ending, .stopped)
        case .picking:
            finishing = finishing ?? ending
            return []
        case .taking:
            // A burst may be long: it stops after the frame in hand.
            finishing = finishing ?? ending
            return [.abandonPick]
        default: return drain(ending)
        }
    }

    /// Takes nothing more; waits for what is in hand.
    private mutating func drain(_ ending: CaptureSummary.Ending) -> [Effect] {
        if needsNoFrames { return [] }
        let calledOff = timer.map { [Effect.calledOff($0)] } ?? []
        timer = nil
        guard backlog > 0 else { return calledOff + end(ending) }
        phase = .draining(ending)
        return calledOff
    }

    /// Takes nothing more. Where that is so already, it does not wait for what is being stored.
    private mutating func cancel() -> [Effect] {
        guard case .draining(let ending) = phase else { return stop(.stopped, .stopped) }
        return end(ending == .completed ? .stopped : ending)
    }

    /// Takes nothing more, not even the picture that is being chosen.
    private mutating func stop(_ ending: CaptureSummary.Ending, _ reason: MissReason) -> [Effect] {
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

    /// The slot in hand, or one that is due, may still get a frame that came before; one that is due later cannot.
    private mutating func endSource(_ error: CaptureError, _ now: ClockTime) -> [Effect] {
        sourceEnd = error
        switch phase {
        case .standby: return drain(.failed(error))
        case .waiting(let slot): return isDue(slot, now) ? [] : drain(.failed(error))
        default: return []
        }
    }

    private mutating func end(_ ending: CaptureSummary.Ending) -> [Effect] {
        phase = .ended
        return [.end(ending)]
    }
}
