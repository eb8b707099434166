// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// When a camera is opened, closed, and opened anew after it was lost: a pure state machine, with no camera and no clock
/// of its own. ``SupervisedCamera`` carries out what it decides.
///
///     closed ─want→ opening ─opened→ open ─lost→ closing ─closed→ opening ─failed→ pausing ─wake, appeared→ opening …
///
/// A pipeline is never set to play again: what was lost is closed, and made anew. After a loss the first attempt comes at
/// once, the others after growing pauses, or as soon as the device shows itself. Whoever rests closes the camera on purpose.
struct CameraSupervisor: Sendable {
    /// Where it stands.
    enum Phase: Sendable, Hashable {
        case closed
        case opening
        case open(since: ClockTime)
        case closing
        case pausing(until: ClockTime)
        case ended
    }

    /// What happened.
    enum Input: Sendable {
        /// The camera is to deliver.
        case want
        /// The camera is not needed for a while.
        case rest
        /// The attempt succeeded: frames come, and the picture is steady.
        case opened
        /// The attempt failed, or `.close` cancelled it; nothing of it is open any more.
        case failed(CaptureError)
        /// It was open, and is of no use any more.
        case lost(CaptureError)
        /// It is closed.
        case closed
        /// The driver hangs while it is being closed, after an attempt or by `.close`.
        case closeFailed(CaptureError)
        /// The moment asked for with `.wake` has come.
        case wake
        /// A device appeared, or was given free.
        case appeared
        /// Nothing is needed any more.
        case stop
    }

    /// What to do about it.
    enum Effect: Sendable, Hashable {
        /// Open the camera, then say `.opened` or `.failed`.
        case open
        /// Close what is open, or is about to be, if anything, then say `.closed`.
        case close
        /// Say `.wake` at this moment, and no more at the one before.
        case wake(ClockTime)
        /// Tell that the camera is lost.
        case tellLost(CaptureError)
        /// Tell that an attempt failed, and how long the pause is.
        case tellRecovering(attempt: Int, next: Duration, CaptureError)
        /// Tell that frames come again.
        case tellRecovered(after: Duration)
        /// Nothing more is tried.
        case giveUp(CaptureError)
    }

    private(set) var phase = Phase.closed
    private let recovery: Recovery
    /// True where a camera that is not there at the start is waited for, as it was there in an earlier run.
    private let isKnown: Bool
    private var isWanted = false
    private var lostAt: ClockTime?
    /// Why it is lost, or still is.
    private var lastError: CaptureError?
    private var failures = 0
    private var wasOpen = false
    /// True where it had to be opened anew: lost soon after, it is not well, and the pauses go on growing.
    private var isOnTrial = false
    /// True where a device showed itself during an attempt, which may have come too early for it.
    private var hasSign = false
    private static let trial = Duration.seconds(10)
    /// So often a first start is tried that failed for no reason that lasts.
    private static let startAttempts = 3

    init(_ recovery: Recovery, isKnown: Bool = false) {
        self.recovery = recovery
        self.isKnown = isKnown
    }

    /// Takes in what happened at `now`, and answers what to do about it, in order.
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
        case (.closing, .closed): return goOn(now)
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

    /// Closes as it did, and opens nothing afterwards.
    private mutating func doWithout() -> [Effect] {
        isWanted = false
        return []
    }

    /// Opens the camera when it is closed.
    private mutating func wantAgain(_ now: ClockTime) -> [Effect] {
        if !isWanted { restartLimit(now) }
        isWanted = true
        return []
    }

    /// The time at rest does not count towards the limit of the recovery.
    private mutating func restartLimit(_ now: ClockTime) { lostAt = lostAt.map { _ in now } }
}

extension CameraSupervisor {
    private mutating func want(_ now: ClockTime) -> [Effect] {
        restartLimit(now)
        isWanted = true
        return open()
    }

    /// An attempt may take longer than there is time for.
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
        return [.tellRecovered(after: now - start)]
    }

    private mutating func lose(_ error: CaptureError, _ since: ClockTime, _ now: ClockTime) -> [Effect] {
        guard recovery.isOn, error.code != .wedged else { return giveUp(error) }
        failures = isOnTrial && now - since < Self.trial ? failures + 1 : 0
        (lostAt, lastError) = (now, error)
        return [.tellLost(error)] + close(isWanted: true)
    }

    private mutating func close(isWanted: Bool) -> [Effect] {
        self.isWanted = isWanted
        phase = .closing
        return [.close]
    }

    /// At once after a loss, unless it was lost again just after it had come back.
    private mutating func goOn(_ now: ClockTime) -> [Effect] {
        guard isWanted else {
            phase = .closed
            return []
        }
        return failures == 0 ? open() : pause(now)
    }

    private mutating func fail(_ error: CaptureError, _ now: ClockTime) -> [Effect] {
        guard !isOver(error, now) else { return giveUp(error) }
        let told = lostAt == nil ? [Effect.tellLost(error)] : []
        (lostAt, lastError) = (lostAt ?? now, error)
        failures += 1
        return told + [.tellRecovering(attempt: failures, next: nextPause(now), error)] + pause(now)
    }

    private mutating func pause(_ now: ClockTime) -> [Effect] {
        let until = now + nextPause(now)
        phase = .pausing(until: until)
        return [.wake(until)]
    }

    private func nextPause(_ now: ClockTime) -> Duration {
        min(Backoff.pause(after: hasSign ? 1 : failures), left(now) ?? Backoff.longest)
    }

    /// How long it is still tried; `nil` where that has no end.
    private func left(_ now: ClockTime) -> Duration? {
        lostAt.flatMap { recovery.end(after: $0) }.map { max(.zero, $0 - now) }
    }

    private func isOver(_ error: CaptureError, _ now: ClockTime) -> Bool {
        guard recovery.isOn, error.code != .wedged else { return true }
        // After a failure that passes, one that seems to last may be what that left behind.
        if !wasOpen, !isKnown { return error.isLasting && failures == 0 || failures + 1 >= Self.startAttempts }
        return left(now) == .zero
    }

    /// Not even the recovery of a camera that was lost goes on.
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
    /// True where trying the same again in a moment is of no use, at the first start, with somebody there to read it.
    fileprivate var isLasting: Bool {
        [.usage, .configuration, .permission, .temporary, .noDisplay, .cannotCreate].contains(code)
    }
}
