// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import ScheduleKit
import Testing

@testable import CaptureKit

@Suite("The capture machine under every order of events")
struct CaptureMachineWalkTests {
    typealias Plan = CaptureMachine.Plan

    static let plans: [(name: String, plan: Plan)] = [
        ("one picture", Plan()),
        ("a series", Plan(schedule: .every(.seconds(1), count: 3), countdown: .seconds(2), lead: .milliseconds(60))),
        ("a series with recovery", Plan(schedule: .every(.seconds(1), count: 3), recovers: true)),
        (
            "a series with rests",
            Plan(schedule: .every(.seconds(60)), notice: .seconds(5), recovers: true, rest: .seconds(5))
        ),
        ("pictures on request", Plan(schedule: .onRequest(count: 2), lead: .milliseconds(60), recovers: true)),
    ]

    @Test("Every short sequence of events keeps the rules", arguments: plans.indices)
    func exhaustive(index: Int) {
        let (count, faults) = CaptureWorld(Self.plans[index].plan).explore(5)
        #expect(faults == [])
        #expect(count > 1000)
    }

    @Test("Long random sequences of events keep the rules, and end", arguments: plans.indices, [UInt64(1), 2])
    func random(index: Int, seed: UInt64) {
        var random = SplitMix(seed)
        for _ in 0..<1000 {
            var world = CaptureWorld(Self.plans[index].plan)
            for _ in 0..<100 where world.fault == nil && !world.isOver {
                // Events that end the capture are rare, so that sequences get long.
                let events = world.possibleEvents.filter { !$0.isRare || random.next() % 16 == 0 }
                if events.isEmpty { continue }
                world.step(events[Int(random.next() % UInt64(events.count))])
            }
            for _ in 0..<2 where !world.isOver { world.step(.cancel) }
            if world.fault == nil, !world.isOver {
                return #expect(Bool(false), "cancel does not end it after \(world.history)")
            }
            if let fault = world.fault { return #expect(Bool(false), "\(fault) after \(world.history)") }
        }
    }
}

/// A capture machine, and a model of what it controls: a camera that is present or absent, a search for a frame, and
/// pictures that are being stored. The model generates only possible events and checks every effect of the machine.
private struct CaptureWorld: ModelWorld {
    enum Event: CaseIterable {
        case start, ready, interrupted, wake, lateWake, found, tooLate, noFrame, picked, stored
        case trigger, timer, repetition, suspended, clockSet, finish, limit, cancel, ended, lost

        var isRare: Bool { [.finish, .limit, .cancel, .ended, .lost, .noFrame, .suspended, .clockSet].contains(self) }
    }

    private(set) var fault: String?
    private(set) var history: [Event] = []
    private(set) var isOver = false
    private var machine: CaptureMachine
    private var now = ClockTime(nanoseconds: 1_000_000_000_000)
    private var wakeTime: ClockTime?
    private var isStarted = false
    private var hasCamera = false
    /// `true` after a search ended without a frame, until the camera is lost or ready.
    private var isExhausted = false
    private var hasEnded = false
    private var isResting = false
    /// The slot whose frame is being searched for, and the slot whose frame was found.
    private var sought: Slot?
    private var inHand: Slot?
    /// The number of slots whose pictures are being stored.
    private var unstored = 0
    /// Slots of the schedule with a frame, and slots that the machine reported as missed.
    private var found: Set<Int> = []
    private var missed: Set<Int> = []

    private static let error = CaptureError(.noCamera, "is gone")

    init(_ plan: CaptureMachine.Plan) { machine = CaptureMachine(plan) }

    var possibleEvents: [Event] {
        guard isStarted else { return [.start, .trigger, .cancel] }
        guard !isOver else { return [] }
        return Event.allCases.filter { event in
            switch event {
            case .start: false
            case .ready: !hasCamera && !isResting
            case .interrupted: (hasCamera || isExhausted) && machine.plan.recovers
            case .wake, .lateWake: wakeTime != nil
            case .found, .noFrame: sought != nil
            case .tooLate: sought != nil && machine.plan.schedule.latePolicy == .skip
            case .picked: inHand != nil
            case .stored: unstored > 0
            default: true
            }
        }
    }

    mutating func step(_ event: Event) {
        history.append(event)
        let before = machine
        prepare(event)
        let effects = machine.handle(input(event), at: now)
        for effect in effects { judge(effect, after: event, before) }
        if !isOver { judgeRest() }
    }

    private func input(_ event: Event) -> CaptureMachine.Input {
        switch event {
        case .start: .start
        case .ready: .ready
        case .interrupted: .interrupted
        case .wake, .lateWake: .wake
        case .found: .found
        case .tooLate: .tooLate
        case .noFrame: .noFrame(Self.error)
        case .picked: .picked
        case .stored: .stored
        case .trigger: .trigger
        case .timer: .timer(.seconds(2))
        case .repetition: .repetition(machine.series.schedule.interval == nil ? .seconds(3) : nil)
        case .suspended: .suspended(.seconds(1))
        case .clockSet: .clockSet(.plain)
        case .finish: .finish
        case .limit: .limit(Self.error)
        case .cancel: .cancel
        case .ended: .ended(Self.error)
        case .lost: .lost(Self.error)
        }
    }

    private mutating func prepare(_ event: Event) {
        switch event {
        case .start: isStarted = true
        case .ready: (hasCamera, isExhausted) = (true, false)
        // The search ends without a frame.
        case .interrupted, .lost: (hasCamera, isExhausted, sought) = (false, false, nil)
        case .wake: now = max(now, wakeTime ?? now)
        case .lateWake: now = max(now, wakeTime ?? now) + .milliseconds(1700)
        case .found:
            if let slot = sought { keep(slot) }
        case .tooLate: sought = nil
        // With recovery, a search without a frame means that the camera is lost or that the source has ended: the event
        // that says which comes before or after.
        case .noFrame: (sought, hasCamera, isExhausted) = (nil, !machine.plan.recovers, machine.plan.recovers)
        case .picked: (inHand, unstored) = (nil, unstored + 1)
        case .stored: unstored -= 1
        case .ended: hasEnded = true
        default: break
        }
    }

    private mutating func keep(_ slot: Slot) {
        (sought, inHand) = (nil, slot)
        if isScheduled(slot) { found.insert(slot.index) }
    }

    private func isScheduled(_ slot: Slot) -> Bool { slot.cause == .schedule }

    private mutating func judge(_ effect: CaptureMachine.Effect, after event: Event, _ before: CaptureMachine) {
        check(!isOver, "effects follow the end")
        switch effect {
        case .open: check(event == .start, "it opens twice")
        case .rest:
            check(hasCamera && !isResting && sought == nil && inHand == nil, "it closes what it needs, or has not")
            (hasCamera, isResting) = (false, true)
        case .rouse:
            check(isResting, "it opens a camera that does not rest")
            isResting = false
        case .wake(let time): wakeTime = time
        case .pick(let slot):
            check(hasCamera && sought == nil && inHand == nil, "it looks for two frames, or without a camera")
            check(machine.phase == .picking(slot), "it looks for a frame of another slot")
            sought = slot
        case .abandonPick:
            if case .picking = before.phase {
            } else if case .taking = before.phase {
            } else {
                check(false, "nothing is looked for")
            }
            sought = nil
        case .countdown(_, let span): check(span >= .zero, "it counts below zero")
        case .upcoming(_, let span): check(span > .zero, "it announces a slot of the past")
        // The due time is not compared: a suspension brings it forward.
        case .calledOff(let slot): check(before.timer?.index == slot.index, "it cancels a timer that does not run")
        case .missed(let run, let reason): judgeMiss(run, reason)
        case .clockIsBehind(let lead): check(lead > .zero, "the clock is ahead")
        case .end:
            isOver = true
            check(event == .cancel || unstored == 0 && inHand == nil, "it ends before a picture is stored")
        }
    }

    private mutating func judgeMiss(_ run: SlotRun, _ reason: MissReason) {
        if reason == .lost { check(!hasCamera, "a slot is missed for a camera that is there") }
        guard isScheduled(run.first) else { return }
        for index in run.first.index...run.last.index {
            check(!found.contains(index), "slot \(index) has a frame, and is missed")
            check(missed.insert(index).inserted, "slot \(index) is missed twice")
        }
    }

    /// Checks the state between events.
    private mutating func judgeRest() {
        switch machine.phase {
        case .waiting(let slot):
            check(wakeTime.map { $0 <= max(now, slot.due) } ?? false, "nothing wakes it for a slot")
        case .picking: check(sought != nil || !hasCamera, "nothing looks for a frame")
        case .taking: check(inHand != nil, "nothing is taken")
        case .draining: check(unstored > 0 || inHand != nil, "it waits for nothing")
        case .ended: check(false, "it ends without a word")
        case .idle, .opening, .standby: break
        }
        check(machine.isResting == isResting, "it does not know whether the camera rests")
        check(!hasEnded || !isExhausted || machine.needsNoFrames, "it waits for frames of a source that has ended")
    }

    private mutating func check(_ holds: Bool, _ text: @autoclosure () -> String) {
        if !holds, fault == nil { fault = "\(text()), in \(machine.phase)," }
    }
}
