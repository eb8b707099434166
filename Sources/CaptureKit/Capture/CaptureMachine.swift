// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// What a capture does next: a pure state machine, with no camera and no clock of its own.
///
/// The controller tells it what happened, and carries out what it answers. It accounts for every slot exactly once:
/// captured, missed or failed.
///
///     idle ─start→ opening ─ready→ waiting ─due→ picking ─picked→ waiting … ─last slot→ draining ─all stored→ ended
///
/// From every phase `finish` leads to draining after the picture in hand, `cancel` and `lost` at once.
struct CaptureMachine: Sendable {
    /// What decides about slots.
    struct Plan: Sendable {
        var schedule = Schedule.single
        /// The first slot is not due before this long after the start.
        var delay = Duration.zero
        /// How long before a slot the seconds are counted.
        var countdown = Duration.zero
        /// So long before a slot is due the frames are looked at, so that the nearest is not missed.
        var lead = Duration.zero
        /// How many slots' pictures may wait to be stored: this bounds memory.
        var backlogLimit = 2
    }

    /// What happened.
    enum Input: Sendable {
        /// Begin.
        case start
        /// The camera delivers, and its picture is steady.
        case ready
        /// The moment asked for with `.wake` has come.
        case wake
        /// The frames of the slot in hand are chosen.
        case picked
        /// No frame came for the slot in hand.
        case noFrame
        /// All pictures of a slot are durable, or have failed.
        case stored
        /// Take one now.
        case trigger
        /// Stop after the picture in hand.
        case finish
        /// Stop at once.
        case cancel
        /// The source is gone.
        case lost(CaptureError)
    }

    /// What the controller does about it.
    enum Effect: Sendable, Hashable {
        /// Open the camera, then say `.ready`.
        case open
        /// Say `.wake` at this moment, and no more at the one before.
        case wake(ClockTime)
        /// Choose the frames nearest the slot's moment, then say `.picked`.
        case pick(Slot)
        /// Stop choosing.
        case abandonPick
        /// Tell of the time that is left.
        case countdown(Slot, Duration)
        /// Tell of a slot without a picture.
        case missed(Slot, MissReason)
        /// Close the camera and end.
        case end(CaptureSummary.Ending)
    }

    /// Where it stands.
    enum Phase: Sendable, Hashable {
        case idle
        case opening
        case waiting(Slot)
        case picking(Slot)
        case draining(CaptureSummary.Ending)
        case ended
    }

    let plan: Plan
    private(set) var phase = Phase.idle
    /// Slots whose pictures are not stored yet.
    private(set) var backlog = 0
    /// The next slot of the schedule.
    private(set) var nextIndex = 0
    private var started = ClockTime.zero
    private var anchor = ClockTime.zero
    private var secondsToCount: Int64 = 0
    private var triggers = 0
    private var isTriggerPending = false
    private var isFinishing = false

    init(_ plan: Plan) { self.plan = plan }

    /// True where all frames that will ever be needed are chosen.
    var needsNoFrames: Bool {
        switch phase {
        case .draining, .ended: true
        default: false
        }
    }

    /// Slots of a schedule with an end that were never come to.
    var unreachedSlots: Int { plan.schedule.total.map { max(0, $0 - nextIndex) } ?? 0 }

    /// Takes in what happened at `now`, and answers what to do about it, in order.
    mutating func handle(_ input: Input, at now: ClockTime) -> [Effect] {
        switch (phase, input) {
        case (.idle, .start): return open(now)
        case (.opening, .ready): return becomeReady(now)
        case (.waiting(let slot), .wake): return wake(for: slot, now)
        case (.picking(let slot), .wake), (.picking(let slot), .noFrame): return giveUp(slot, now)
        case (.picking(let slot), .picked): return hand(over: slot, now)
        case (.waiting, .trigger): return takeNow(now)
        case (.opening, .trigger), (.picking, .trigger): return remember(&isTriggerPending)
        case (.picking, .finish): return remember(&isFinishing)
        case (_, .finish): return drain(.stopped)
        case (_, .cancel): return stop(.stopped, .stopped)
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
        anchor = max(started + plan.delay, now + plan.countdown)
        return goOn(now)
    }

    /// Goes to the next slot that can still be met, and accounts for those that cannot.
    private mutating func goOn(_ now: ClockTime) -> [Effect] {
        if isFinishing { return drain(.stopped) }
        if isTriggerPending { return takeNow(now) }
        let missed = skipSlots(until: now)
        guard let next = slot(nextIndex) else { return missed + drain(.completed) }
        phase = .waiting(next)
        secondsToCount = min(countedSeconds(before: next), (next.due - now).components.seconds)
        return missed + count(down: next, now) + [.wake(nextWake(for: next))]
    }

    /// A slot can be met, late, until the one after it is due. After a long sleep it takes several rounds, each bounded.
    private mutating func skipSlots(until now: ClockTime) -> [Effect] {
        let latest = latestIndex(now)
        var missed: [Effect] = []
        while nextIndex < latest, missed.count < 1000, let slot = slot(nextIndex) {
            missed.append(.missed(slot, .overslept))
            nextIndex += 1
        }
        return missed
    }

    private mutating func wake(for slot: Slot, _ now: ClockTime) -> [Effect] {
        if latestIndex(now) > slot.index { return goOn(now) }
        if now + plan.lead >= slot.due { return begin(slot, now) }
        return count(down: slot, now) + [.wake(nextWake(for: slot))]
    }

    private mutating func takeNow(_ now: ClockTime) -> [Effect] {
        isTriggerPending = false
        defer { triggers += 1 }
        return begin(Slot(index: triggers, due: now, cause: .trigger), now)
    }

    private mutating func begin(_ slot: Slot, _ now: ClockTime) -> [Effect] {
        guard backlog < plan.backlogLimit else { return [.missed(slot, .backlog)] + leave(slot, now) }
        phase = .picking(slot)
        let following = slot.cause == .schedule ? slot.index + 1 : nextIndex
        return [.pick(slot)] + (self.slot(following).map { [.wake($0.due)] } ?? [])
    }

    private mutating func hand(over slot: Slot, _ now: ClockTime) -> [Effect] {
        backlog += 1
        return leave(slot, now)
    }

    private mutating func giveUp(_ slot: Slot, _ now: ClockTime) -> [Effect] {
        [.abandonPick, .missed(slot, .noFrame)] + leave(slot, now)
    }

    private mutating func leave(_ slot: Slot, _ now: ClockTime) -> [Effect] {
        if slot.cause == .schedule { nextIndex += 1 }
        return goOn(now)
    }

    private func latestIndex(_ now: ClockTime) -> Int { plan.schedule.lastIndex(dueBy: now - anchor) ?? 0 }

    private func slot(_ index: Int) -> Slot? {
        plan.schedule.offset(of: index).map { Slot(index: index, due: anchor + $0) }
    }
}

// MARK: Countdown

extension CaptureMachine {
    /// The next second to tell, or the moment from which frames are looked at.
    private func nextWake(for slot: Slot) -> ClockTime {
        let look = slot.due - plan.lead
        return secondsToCount > 0 ? min(look, slot.due - .seconds(secondsToCount)) : look
    }

    /// Tells the second that has come; of several at once, the last.
    private mutating func count(down slot: Slot, _ now: ClockTime) -> [Effect] {
        var reached: Int64?
        while secondsToCount > 0, now >= slot.due - .seconds(secondsToCount) {
            reached = secondsToCount
            secondsToCount -= 1
        }
        return reached.map { [.countdown(slot, .seconds($0))] } ?? []
    }

    private func countedSeconds(before slot: Slot) -> Int64 {
        // A delay is a self-timer: its seconds are counted, too.
        let counted = slot.index == 0 ? max(plan.countdown, plan.delay) : plan.countdown
        return counted.components.seconds
    }
}

// MARK: The end

extension CaptureMachine {
    private mutating func stored() -> [Effect] {
        backlog = max(0, backlog - 1)
        guard case .draining(let ending) = phase, backlog == 0 else { return [] }
        return end(ending)
    }

    /// Takes nothing more; waits for what is in hand.
    private mutating func drain(_ ending: CaptureSummary.Ending) -> [Effect] {
        switch phase {
        case .draining, .ended: return []
        default: break
        }
        guard backlog > 0 else { return end(ending) }
        phase = .draining(ending)
        return []
    }

    /// Takes nothing more, not even the picture in hand. A second time, it does not wait for what is being stored.
    private mutating func stop(_ ending: CaptureSummary.Ending, _ reason: MissReason) -> [Effect] {
        switch phase {
        case .ended: return []
        case .draining: return ending == .stopped ? end(ending) : []
        case .picking(let slot):
            nextIndex += slot.cause == .schedule ? 1 : 0
            return [.abandonPick, .missed(slot, reason)] + drain(ending)
        default: return drain(ending)
        }
    }

    private mutating func end(_ ending: CaptureSummary.Ending) -> [Effect] {
        phase = .ended
        return [.end(ending)]
    }
}
