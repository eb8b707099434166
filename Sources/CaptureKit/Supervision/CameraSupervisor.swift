// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Decides when a camera is opened, closed, and reopened after a loss: a pure state machine without camera and clock.
/// ``SupervisedCamera`` performs the effects.
///
///     closed ─want→ opening ─opened→ open ─lost→ closing ─closed→ opening ─failed→ pausing ─wake, appeared→ opening …
///
/// A pipeline is never set to play again: a lost camera is closed and reopened with a new pipeline. After a loss the
/// first attempt starts at once. Later attempts start after growing pauses, or as soon as the device appears. `rest`
/// closes the camera deliberately and does not count as a loss.
struct CameraSupervisor: Sendable {
    /// The state of the camera.
    enum Phase: Sendable, Hashable {
        case closed
        case opening
        case open(since: ClockTime)
        case closing
        case pausing(until: ClockTime)
        case ended
    }

    /// A request of the owner, or an event of the camera.
    enum Input: Sendable {
        /// The owner needs frames.
        case want
        /// The owner does not need the camera for a while.
        case rest
        /// The attempt succeeded: frames arrive, and the picture is steady.
        case opened
        /// The attempt failed, or `.close` canceled it. Nothing of the attempt remains open.
        case failed(CaptureError)
        /// The open camera was lost.
        case lost(CaptureError)
        /// The camera is closed.
        case closed
        /// The driver hangs while the camera is closed, after an attempt or by `.close`.
        case closeFailed(CaptureError)
        /// The moment of `.wake` has come.
        case wake
        /// A device appeared, or a program released one.
        case appeared
        /// The owner does not need the camera anymore.
        case stop
    }

    /// An action that the owner performs.
    enum Effect: Sendable, Hashable {
        /// Open the camera, then send `.opened` or `.failed`.
        case open
        /// Close the camera or cancel the attempt to open it, if there is one, then send `.closed`.
        case close
        /// Send `.wake` at this moment; it replaces an earlier one.
        case wake(ClockTime)
        /// Emit an event: the camera is lost.
        case emitLost(CaptureError)
        /// Emit an event: an attempt failed, and the next one starts after a pause.
        case emitRecovering(attempt: Int, next: Duration, CaptureError)
        /// Emit an event: frames arrive again.
        case emitRecovered(after: Duration)
        /// Emit an event: the camera is lost for good, and there are no more attempts.
        case giveUp(CaptureError)
    }

    private(set) var phase = Phase.closed
    /// The reaction to a loss. A change is valid from the next loss or attempt on.
    var recovery: Recovery
    /// `true` if attempts continue for a camera that is missing at the start, because an earlier run had it.
    var isKnown: Bool
    private var isWanted = false
    private var lostAt: ClockTime?
    /// The reason for the last loss or failure.
    private var lastError: CaptureError?
    private var failures = 0
    private var wasOpen = false
    /// `true` after the camera was reopened. If it is lost soon after, it is unstable, and the pauses continue to grow.
    private var isOnTrial = false
    /// `true` if a device appeared during an attempt, which may have started too early for that device.
    private var hasSign = false
    private static let trial = Duration.seconds(10)
    /// The most attempts of a first start that fails for reasons that may pass.
    private static let startAttempts = 3

    init(_ recovery: Recovery, isKnown: Bool = false) {
        self.recovery = recovery
        self.isKnown = isKnown
    }

    /// Handles an input at `now`, and returns the effects in order.
    mutating func handle(_ input: Input, at now: ClockTime) -> [Effect] {
        switch (phase, input) {
        case (.ended, _): return []
        case (_, .stop): return end()
        case (_, .closeFailed(let error)): return giveUp(error)
        case (.closed, .want): return want(now)
        case (.closing, .want): return wantAgain(now)
        case (.opening, .rest), (.open, .rest): return close(isWanted: false)
        case (.closing, .rest): return doWithout()
        case (.pausing, .rest): return rest()
        case (.opening, .opened): return succeed(now)
        case (.opening, .failed(let error)): return fail(error, now)
        case (.open(let since), .lost(let error)): return lose(error, since, now)
        case (.closing, .closed): return reopen(now)
        case (.pausing(let until), .wake): return now < until ? [.wake(until)] : open()
        case (.pausing, .appeared): return open()
        case (.opening, .appeared): return rememberSign()
        case (.opening, .wake): return checkTime(now)
        default: return []
        }
    }

    private mutating func rememberSign() -> [Effect] {
        hasSign = true
        return []
    }

    /// Continues to close the camera, and does not reopen it afterward.
    private mutating func doWithout() -> [Effect] {
        isWanted = false
        return []
    }

    /// Reopens the camera when it is closed.
    private mutating func wantAgain(_ now: ClockTime) -> [Effect] {
        if !isWanted { restartLimit(now) }
        isWanted = true
        return []
    }

    /// Restarts the time limit of the recovery, because the time at rest does not count.
    private mutating func restartLimit(_ now: ClockTime) { lostAt = lostAt.map { _ in now } }
}

extension CameraSupervisor {
    private mutating func want(_ now: ClockTime) -> [Effect] {
        restartLimit(now)
        isWanted = true
        return open()
    }

    /// Starts an attempt, and sets an alarm for the end of the recovery's time limit, because an attempt may take
    /// longer.
    private mutating func open() -> [Effect] {
        (phase, hasSign) = (.opening, false)
        return [.open] + (lostAt.flatMap { recovery.end(after: $0) }.map { [.wake($0)] } ?? [])
    }

    private mutating func checkTime(_ now: ClockTime) -> [Effect] {
        guard let left = left(now), let lastError else { return [] }
        return left > .zero ? [.wake(now + left)] : giveUp(lastError)
    }

    private mutating func succeed(_ now: ClockTime) -> [Effect] {
        (phase, wasOpen, isOnTrial) = (.open(since: now), true, lostAt != nil)
        guard let start = lostAt else { return [] }
        lostAt = nil
        return [.emitRecovered(after: now - start)]
    }

    private mutating func lose(_ error: CaptureError, _ since: ClockTime, _ now: ClockTime) -> [Effect] {
        guard recovery.isOn, error.code != .wedged else { return giveUp(error) }
        failures = isOnTrial && now - since < Self.trial ? failures + 1 : 0
        (lostAt, lastError) = (now, error)
        return [.emitLost(error)] + close(isWanted: true)
    }

    private mutating func close(isWanted: Bool) -> [Effect] {
        self.isWanted = isWanted
        phase = .closing
        return [.close]
    }

    /// Reopens the camera at once, or after a pause if it was lost soon after it had come back.
    private mutating func reopen(_ now: ClockTime) -> [Effect] {
        guard isWanted else {
            phase = .closed
            return []
        }
        return failures == 0 ? open() : pause(now)
    }

    private mutating func fail(_ error: CaptureError, _ now: ClockTime) -> [Effect] {
        guard !isOver(error, now) else { return giveUp(error) }
        let lost = lostAt == nil ? [Effect.emitLost(error)] : []
        (lostAt, lastError) = (lostAt ?? now, error)
        failures += 1
        return lost + [.emitRecovering(attempt: failures, next: nextPause(now), error)] + pause(now)
    }

    private mutating func pause(_ now: ClockTime) -> [Effect] {
        let until = now + nextPause(now)
        phase = .pausing(until: until)
        return [.wake(until)]
    }

    private func nextPause(_ now: ClockTime) -> Duration {
        min(Backoff.pause(after: hasSign ? 1 : failures), left(now) ?? Backoff.longest)
    }

    /// Returns the time left for the recovery; `nil` if it has no limit.
    private func left(_ now: ClockTime) -> Duration? {
        lostAt.flatMap { recovery.end(after: $0) }.map { max(.zero, $0 - now) }
    }

    private func isOver(_ error: CaptureError, _ now: ClockTime) -> Bool {
        guard recovery.isOn, error.code != .wedged else { return true }
        // After a failure that passes, an error that seems to last may be a consequence of it.
        if !wasOpen, !isKnown { return error.isLasting && failures == 0 || failures + 1 >= Self.startAttempts }
        return left(now) == .zero
    }

    /// Cancels the recovery of a lost camera, too.
    private mutating func rest() -> [Effect] {
        (isWanted, phase) = (false, .closed)
        return []
    }

    private mutating func giveUp(_ error: CaptureError) -> [Effect] {
        phase = .ended
        return [.close, .giveUp(error)]
    }

    private mutating func end() -> [Effect] {
        phase = .ended
        return [.close]
    }
}

extension CaptureError {
    /// `true` if a retry is of no use at the first start, when the user is there to read the error.
    fileprivate var isLasting: Bool {
        [.usage, .configuration, .permission, .temporary, .noDisplay, .cannotCreate].contains(code)
    }
}

/// The pauses between attempts. The first ones are short, because most faults pass in a moment. None is longer than
/// half a minute, so that a camera that is plugged in again is back soon.
enum Backoff {
    static let longest = Duration.seconds(30)
    private static let shortest = Duration.milliseconds(500)

    /// Returns the pause after this many failures in a row, counted from 1.
    static func pause(after failures: Int) -> Duration {
        min(longest, shortest * (1 << min(max(0, failures - 1), 10)))
    }
}
