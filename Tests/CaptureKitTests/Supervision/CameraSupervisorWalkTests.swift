// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import Testing

@testable import CaptureKit

@Suite("The camera supervisor under every order of events")
struct CameraSupervisorWalkTests {
    private static let recoveries = [Recovery.always, .limited(to: .seconds(3)), .off]

    @Test("Every short sequence of events keeps the rules", arguments: recoveries, [false, true])
    func exhaustive(recovery: Recovery, isKnown: Bool) {
        let (count, faults) = SupervisorWorld(recovery, isKnown: isKnown).explore(8)
        #expect(faults == [])
        #expect(count > 4000)
    }

    @Test("Long random sequences of events keep the rules", arguments: recoveries, [UInt64(1), 2, 3])
    func random(recovery: Recovery, seed: UInt64) {
        var random = SplitMix(seed)
        var visited: Set<String> = []
        for _ in 0..<2000 {
            var world = SupervisorWorld(recovery, isKnown: random.next() % 2 == 0)
            for _ in 0..<100 where world.fault == nil && !world.isOver {
                let events = world.possibleEvents
                world.step(events[Int(random.next() % UInt64(events.count))])
                visited.insert(world.phaseName)
            }
            guard world.fault == nil else {
                return #expect(Bool(false), "\(world.fault ?? "") after \(world.history)")
            }
        }
        let unvisited: Set<String> = recovery == .off ? ["pausing"] : []
        #expect(visited == Set(["closed", "opening", "open", "closing", "pausing", "ended"]).subtracting(unvisited))
    }
}

/// A supervisor and its surroundings: an attempt that runs or not, a camera that is open or not, and a close that waits
/// for both. Only possible events occur, and every effect of the supervisor is checked.
private struct SupervisorWorld: ModelWorld {
    enum Event: CaseIterable {
        case want, rest, opened, failed, lasting, wedged, lost, closed, closeFailed, wake, laterWake, appeared
    }

    private(set) var fault: String?
    private(set) var history: [Event] = []
    private(set) var isOver = false
    private var supervisor: CameraSupervisor
    private let recovery: Recovery
    private let isKnown: Bool
    private var now = ClockTime(nanoseconds: 1_000_000_000_000)
    private var wakeTime: ClockTime?
    /// The program wants the camera.
    private var isWanted = false
    private var isAttempting = false
    private var isOpen = false
    /// Pending closes.
    private var closes = 0
    private var wasOpen = false
    private var startFailures = 0
    /// `true` from a reported loss to the reported recovery.
    private var isLost = false
    /// The time since which a lost camera is sought without a rest.
    private var soughtSince: ClockTime?

    private static let passing = CaptureError(.noCamera, "is gone")
    private static let lasting = CaptureError(.permission, "permission denied")
    private static let wedged = CaptureError(.wedged, "hangs")

    init(_ recovery: Recovery, isKnown: Bool) {
        (self.recovery, self.isKnown) = (recovery, isKnown)
        supervisor = CameraSupervisor(recovery, isKnown: isKnown)
    }

    var phaseName: String {
        switch supervisor.phase {
        case .closed: "closed"
        case .opening: "opening"
        case .open: "open"
        case .closing: "closing"
        case .pausing: "pausing"
        case .ended: "ended"
        }
    }

    var possibleEvents: [Event] {
        guard !isOver else { return [] }
        return Event.allCases.filter { event in
            switch event {
            case .want: !isWanted
            case .rest: isWanted
            case .opened: isAttempting && closes == 0
            case .failed: isAttempting
            case .lasting, .wedged: isAttempting && closes == 0
            case .lost: isOpen && closes == 0
            // A close waits for the attempt.
            case .closed: closes > 0 && !isAttempting
            case .closeFailed: closes > 0
            case .wake, .laterWake: wakeTime != nil
            case .appeared: true
            }
        }
    }

    mutating func step(_ event: Event) {
        history.append(event)
        let hasFailed = prepare(event)
        let effects = supervisor.handle(input(event), at: now)
        for effect in effects { judge(effect, after: event, hasFailed) }
        if !isOver { judgeRest() }
    }

    private func input(_ event: Event) -> CameraSupervisor.Input {
        switch event {
        case .want: .want
        case .rest: .rest
        case .opened: .opened
        case .failed: .failed(Self.passing)
        case .lasting: .failed(Self.lasting)
        case .wedged: .failed(Self.wedged)
        case .lost: .lost(Self.passing)
        case .closed: .closed
        case .closeFailed: .closeFailed(Self.wedged)
        case .wake, .laterWake: .wake
        case .appeared: .appeared
        }
    }

    /// Applies the event to the camera; returns `true` if an attempt failed that no close had canceled.
    private mutating func prepare(_ event: Event) -> Bool {
        let isCalledOff = closes > 0
        switch event {
        case .want:
            isWanted = true
            if soughtSince != nil { soughtSince = now }
        case .rest: isWanted = false
        case .opened: (isAttempting, isOpen, wasOpen) = (false, true, true)
        case .failed, .lasting, .wedged:
            isAttempting = false
            guard !isCalledOff else { return false }
            if !wasOpen { startFailures += 1 }
            soughtSince = soughtSince ?? now
            return true
        case .lost: soughtSince = now
        case .closed: (closes, isOpen) = (closes - 1, false)
        case .closeFailed: (closes, isOpen, isAttempting) = (closes - 1, false, false)
        case .wake: now = max(now, wakeTime ?? now)
        case .laterWake: now = max(now, wakeTime ?? now) + .seconds(1)
        case .appeared: break
        }
        return false
    }

    private mutating func judge(_ effect: CameraSupervisor.Effect, after event: Event, _ hasFailed: Bool) {
        switch effect {
        case .open:
            check(!isAttempting && !isOpen && closes == 0, "it opens a camera that is open, opening or closing")
            check(isWanted, "it opens a camera at rest")
            isAttempting = true
        case .close: closes += 1
        case .wake(let time): wakeTime = time
        case .emitLost:
            check(isWanted && !isLost, "it reports a loss of a camera that rests, or is lost already")
            check(event == .lost || hasFailed, "it reports a loss without one")
            isLost = true
        case .emitRecovering: check(isLost && hasFailed, "it reports an attempt that did not fail")
        case .emitRecovered:
            check(isLost && event == .opened, "it reports the return of a camera that was not lost")
            (isLost, soughtSince) = (false, nil)
        case .giveUp: judgeEnd(after: event, hasFailed)
        }
    }

    private mutating func judgeEnd(after event: Event, _ hasFailed: Bool) {
        isOver = true
        if event == .closeFailed { return }
        check(isWanted, "it gives up a camera at rest")
        if event == .wedged, hasFailed { return }
        if recovery == .off, event == .lost || hasFailed { return }
        if hasFailed, !wasOpen, !isKnown {
            return check(startFailures >= 3 || event == .lasting, "it gives up after \(startFailures) starts")
        }
        guard case .limited(let span) = recovery, let soughtSince else {
            return check(false, "it gives up for nothing")
        }
        check(now - soughtSince >= span, "it gives up after \(now - soughtSince) of \(span)")
    }

    /// Checks the state between events.
    private mutating func judgeRest() {
        if event(.opened) { soughtSince = nil }
        if isWanted {
            let hasNext = isOpen || isAttempting || closes > 0 || supervisor.phase.isPausing && wakeTime != nil
            check(hasNext, "a camera in use is neither open nor about to be")
        } else {
            check(closes > 0 || !isOpen && !isAttempting, "a camera that rests stays open")
        }
        check(closes <= 1, "it closes twice")
    }

    private func event(_ event: Event) -> Bool { history.last == event }

    private mutating func check(_ holds: Bool, _ text: String) {
        if !holds, fault == nil { fault = text }
    }
}

extension CameraSupervisor.Phase {
    fileprivate var isPausing: Bool { if case .pausing = self { true } else { false } }
}
