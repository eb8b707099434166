// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@testable import CaptureKit

@Suite("The camera supervisor")
struct CameraSupervisorTests {
    private static let error = CaptureError(.noCamera, "is gone")
    private var time = ClockTime(nanoseconds: 1_000_000_000)

    private func opened(_ recovery: Recovery = .always, isKnown: Bool = false) -> CameraSupervisor {
        var supervisor = CameraSupervisor(recovery, isKnown: isKnown)
        #expect(supervisor.handle(.want, at: time) == [.open])
        #expect(supervisor.handle(.opened, at: time) == [])
        return supervisor
    }

    @Test("A camera that is lost is closed, and reopened at once")
    func recovers() {
        var supervisor = opened()
        #expect(supervisor.handle(.lost(Self.error), at: time + .seconds(5)) == [.emitLost(Self.error), .close])
        #expect(supervisor.handle(.closed, at: time + .seconds(6)) == [.open])
        #expect(supervisor.handle(.opened, at: time + .seconds(7)) == [.emitRecovered(after: .seconds(2))])
    }

    @Test("Pauses between attempts to reopen a camera grow to half a minute, and a success ends them")
    func backoff() {
        var supervisor = opened()
        var now = time + .seconds(60)
        _ = supervisor.handle(.lost(Self.error), at: now)
        _ = supervisor.handle(.closed, at: now)
        var pauses: [Duration] = []
        for attempt in 1...9 {
            guard case .emitRecovering(attempt, let next, _)? = supervisor.handle(.failed(Self.error), at: now).first
            else { return #expect(Bool(false), "attempt \(attempt) is not reported") }
            pauses.append(next)
            now = now + next
            #expect(supervisor.handle(.wake, at: now) == [.open])
        }
        #expect(pauses.prefix(4) == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)])
        #expect(pauses.last == .seconds(30))
        #expect(supervisor.handle(.opened, at: now).count == 1)
    }

    @Test("A wake that comes early is scheduled again")
    func earlyWake() {
        var supervisor = paused()
        #expect(supervisor.handle(.wake, at: time) == [.wake(time + .milliseconds(500))])
    }

    @Test("A device that appears ends the pause between attempts")
    func appears() {
        var supervisor = paused()
        #expect(supervisor.handle(.appeared, at: time) == [.open])
        #expect(supervisor.handle(.appeared, at: time) == [], "an attempt is under way")
    }

    @Test("A device that appears during an attempt shortens the pause after it, once")
    func appearsMeanwhile() {
        var supervisor = paused()
        var now = time
        for _ in 0..<8 {
            now = now + .seconds(30)
            _ = supervisor.handle(.wake, at: now)
            _ = supervisor.handle(.failed(Self.error), at: now)
        }
        _ = supervisor.handle(.appeared, at: now)
        _ = supervisor.handle(.appeared, at: now)
        #expect(supervisor.handle(.failed(Self.error), at: now).last == .wake(now + .milliseconds(500)))
        _ = supervisor.handle(.wake, at: now + .milliseconds(500))
        #expect(
            supervisor.handle(.failed(Self.error), at: now).last == .wake(now + .seconds(30)),
            "one device shortens one pause")
    }

    private func paused() -> CameraSupervisor {
        var supervisor = opened()
        _ = supervisor.handle(.lost(Self.error), at: time)
        _ = supervisor.handle(.closed, at: time)
        _ = supervisor.handle(.failed(Self.error), at: time)
        return supervisor
    }

    @Test("A camera that is lost again just after it was reopened is reopened after growing pauses")
    func flapping() {
        var supervisor = opened()
        var now = time + .seconds(60)
        var pauses: [Duration] = []
        for _ in 0..<8 {
            _ = supervisor.handle(.lost(Self.error), at: now)
            if case .wake(let until)? = supervisor.handle(.closed, at: now).first {
                pauses.append(until - now)
                now = until
                #expect(supervisor.handle(.wake, at: now) == [.open])
            }
            now = now + .seconds(1)
            _ = supervisor.handle(.opened, at: now)
            now = now + .seconds(1)
        }
        #expect(pauses.first == .milliseconds(500))
        #expect(pauses.count == 7)
        #expect(pauses == pauses.sorted() && pauses.last == .seconds(30))
    }

    @Test("Without recovery, the loss of a camera is final")
    func noRecovery() {
        var supervisor = opened(.off)
        #expect(supervisor.handle(.lost(Self.error), at: time) == [.close, .giveUp(Self.error)])
        #expect(supervisor.phase == .ended)
    }

    @Test("A limited recovery ends when its time is over, and not before")
    func limited() {
        var supervisor = opened(.limited(to: .seconds(3)))
        _ = supervisor.handle(.lost(Self.error), at: time)
        _ = supervisor.handle(.closed, at: time)
        var now = time
        while now < time + .seconds(3) {
            let effects = supervisor.handle(.failed(Self.error), at: now)
            guard case .wake(let until)? = effects.last else { return #expect(Bool(false), "gave up at \(now)") }
            #expect(until <= time + .seconds(3))
            now = until
            _ = supervisor.handle(.wake, at: now)
        }
        #expect(supervisor.handle(.failed(Self.error), at: now) == [.close, .giveUp(Self.error)])
    }

    @Test("An attempt to reopen a camera is canceled when the time for recovery is over")
    func limitedAttempt() {
        var supervisor = opened(.limited(to: .seconds(3)))
        _ = supervisor.handle(.lost(Self.error), at: time)
        #expect(supervisor.handle(.closed, at: time) == [.open, .wake(time + .seconds(3))])
        #expect(supervisor.handle(.wake, at: time + .seconds(2)) == [.wake(time + .seconds(3))])
        #expect(supervisor.handle(.wake, at: time + .seconds(3)) == [.close, .giveUp(Self.error)])
    }

    @Test(
        "A first start that fails with a lasting error is not retried",
        arguments: [CaptureError.Code.permission, .temporary, .configuration, .usage])
    func lastingReason(code: CaptureError.Code) {
        let error = CaptureError(code, "no")
        var supervisor = CameraSupervisor(.always)
        _ = supervisor.handle(.want, at: time)
        #expect(supervisor.handle(.failed(error), at: time) == [.close, .giveUp(error)])
    }

    @Test("A lasting error after a temporary one does not end the attempts of a first start")
    func aftermath() {
        var supervisor = CameraSupervisor(.always)
        _ = supervisor.handle(.want, at: time)
        _ = supervisor.handle(.failed(Self.error), at: time)
        #expect(supervisor.handle(.wake, at: time + .milliseconds(500)) == [.open])
        let error = CaptureError(.configuration, "does not offer the requested format")
        let effects = supervisor.handle(.failed(error), at: time + .seconds(1))
        #expect(!effects.contains(.giveUp(error)))
    }

    @Test("A first start that fails with a temporary error is attempted three times")
    func threeStarts() {
        var supervisor = CameraSupervisor(.always)
        var (now, attempts, effects) = (time, 0, supervisor.handle(.want, at: time))
        while effects.last == .open {
            attempts += 1
            effects = supervisor.handle(.failed(Self.error), at: now)
            guard case .wake(let until)? = effects.last else { break }
            now = until
            effects = supervisor.handle(.wake, at: now)
        }
        #expect(attempts == 3)
        #expect(effects == [.close, .giveUp(Self.error)])
    }

    @Test("The supervisor waits from the start for a camera that an earlier run knew")
    func knownCamera() {
        var supervisor = CameraSupervisor(.always, isKnown: true)
        _ = supervisor.handle(.want, at: time)
        let error = CaptureError(.permission, "no")
        #expect(
            supervisor.handle(.failed(error), at: time) == [
                .emitLost(error), .emitRecovering(attempt: 1, next: .milliseconds(500), error),
                .wake(time + .milliseconds(500)),
            ])
    }

    @Test("A driver that hangs ends the attempts: no other attempt could succeed")
    func wedged() {
        let error = CaptureError(.wedged, "hangs")
        var opening = CameraSupervisor(.always)
        _ = opening.handle(.want, at: time)
        #expect(opening.handle(.failed(error), at: time).last == .giveUp(error))
        var closing = opened()
        _ = closing.handle(.lost(Self.error), at: time)
        #expect(closing.handle(.closeFailed(error), at: time).last == .giveUp(error))
    }

    @Test("A rest closes the camera and opens it again without an event")
    func rests() {
        var supervisor = opened()
        #expect(supervisor.handle(.rest, at: time) == [.close])
        #expect(supervisor.handle(.closed, at: time) == [])
        #expect(supervisor.phase == .closed)
        #expect(supervisor.handle(.want, at: time) == [.open])
        #expect(supervisor.handle(.opened, at: time) == [])
    }

    @Test("A camera that is requested again while it closes is opened when it is closed")
    func wantedWhileClosing() {
        var supervisor = opened()
        _ = supervisor.handle(.rest, at: time)
        #expect(supervisor.handle(.want, at: time) == [])
        #expect(supervisor.handle(.closed, at: time) == [.open])
    }

    @Test("A stop closes the camera, and later inputs have no effect")
    func stops() {
        for var supervisor in [opened(), paused(), CameraSupervisor(.always)] {
            #expect(supervisor.handle(.stop, at: time) == [.close])
            for input: CameraSupervisor.Input in [.want, .opened, .lost(Self.error), .wake, .appeared, .stop] {
                #expect(supervisor.handle(input, at: time) == [])
            }
        }
    }

    @Test("A camera that rests while it opens survives the canceled attempt")
    func restsWhileOpening() {
        var supervisor = CameraSupervisor(.off)
        _ = supervisor.handle(.want, at: time)
        #expect(supervisor.handle(.rest, at: time) == [.close])
        #expect(supervisor.handle(.failed(Self.error), at: time) == [])
        #expect(supervisor.handle(.closed, at: time) == [])
        #expect(supervisor.handle(.want, at: time) == [.open])
        #expect(supervisor.handle(.rest, at: time) == [.close])
        #expect(supervisor.handle(.want, at: time) == [])
        #expect(supervisor.handle(.failed(Self.error), at: time) == [])
        #expect(supervisor.handle(.closed, at: time) == [.open])
    }

    @Test("The time at rest does not count toward the limit of a recovery")
    func restsWhileLost() {
        var supervisor = opened(.limited(to: .seconds(3)))
        _ = supervisor.handle(.lost(Self.error), at: time)
        _ = supervisor.handle(.closed, at: time)
        #expect(supervisor.handle(.rest, at: time + .seconds(1)) == [.close])
        _ = supervisor.handle(.failed(Self.error), at: time + .seconds(1))
        _ = supervisor.handle(.closed, at: time + .seconds(1))
        let back = time + .seconds(60)
        #expect(supervisor.handle(.want, at: back) == [.open, .wake(back + .seconds(3))])
        #expect(supervisor.handle(.opened, at: back + .seconds(1)) == [.emitRecovered(after: .seconds(1))])
    }
}
