// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Detects overdue frames, from the arrival of the newest. Pure: it reads no clock.
///
/// A check that comes much later than scheduled means that the process was stopped, as by Ctrl-Z, and the source with
/// it: silence is measured from that check.
package struct StallDetector: Sendable {
    /// The state of the source.
    package enum Verdict: Sendable, Hashable {
        /// Nothing has changed; check again at this moment.
        case wait(until: ClockTime)
        /// No frame has arrived for this long. Returned once for each silence.
        case stalled(Duration)
        /// No frame has arrived for this long, and the wait for frames ends.
        case gone(Duration)
    }

    /// How long silence may last.
    package struct Limits: Sendable, Hashable {
        /// Silence of this length is a stall.
        package var stall: Duration
        /// Silence of this length ends the wait for frames.
        package var giveUp: Duration
        /// Silence of this length before the first frame ends the wait.
        package var first: Duration
    }

    private var newest: ClockTime
    private var hasFrames = false
    private var isStalled = false
    private var nextLook: ClockTime?
    private static let longestDelay = Duration.seconds(1)

    /// - Parameter start: The moment from which silence is measured until the first frame.
    package init(start: ClockTime) { newest = start }

    /// Judges the source at `now`; the newest frame arrived at `arrival`.
    package mutating func check(_ arrival: ClockTime?, at now: ClockTime, _ limits: Limits) -> Verdict {
        if let arrival, arrival > newest { (newest, isStalled, hasFrames) = (arrival, false, true) }
        if let nextLook, now - nextLook > Self.longestDelay { (newest, isStalled) = (now, false) }
        let verdict = judge(now, limits)
        if case .wait(let until) = verdict { nextLook = until }
        return verdict
    }

    private mutating func judge(_ now: ClockTime, _ limits: Limits) -> Verdict {
        let silence = now - newest
        let giveUp = hasFrames ? limits.giveUp : limits.first
        if silence >= giveUp { return .gone(silence) }
        if isStalled { return .wait(until: newest + giveUp) }
        guard silence >= limits.stall else { return .wait(until: newest + min(limits.stall, giveUp)) }
        isStalled = true
        return .stalled(silence)
    }
}

extension StallDetector.Limits {
    /// How many missing frames are a stall: enough that a busy machine does not look like one.
    private static let frames = 8

    /// Creates the limits of a camera.
    ///
    /// - Parameters:
    ///   - stall: The silence that is a stall; eight frame durations if that is longer.
    ///   - giveUp: The silence that ends the wait of a capture that does not recover, and of each one before the first
    ///     frame.
    ///   - recovers: `true` if a stalled camera is reopened at once and not watched further.
    ///   - frameDuration: The time from one frame of the camera to the next; `nil` if it is unknown.
    package init(stall: Duration, giveUp: Duration, recovers: Bool, frameDuration: Duration?) {
        let stall = max(stall, (frameDuration ?? .zero) * Self.frames)
        let first = max(stall, giveUp)
        self.init(stall: stall, giveUp: recovers ? stall : first, first: first)
    }
}
