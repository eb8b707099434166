// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Says when frames are overdue, from the moment of the newest. Pure: it has no clock of its own.
///
/// Whoever looks much later than told was stopped, as by Ctrl-Z, and so was the source: silence counts anew from there.
struct StallDetector: Sendable {
    /// How the source does.
    enum Verdict: Sendable, Hashable {
        /// There is nothing new to say; look again then.
        case wait(until: ClockTime)
        /// No frame has come for this long. It is said once for each silence.
        case stalled(Duration)
        /// No frame has come for this long, and none is waited for any more.
        case gone(Duration)
    }

    private let stallLimit: Duration
    private let giveUp: Duration
    private var newest: ClockTime
    private var isStalled = false
    private var nextLook: ClockTime?
    private static let longestDelay = Duration.seconds(1)

    /// - Parameters:
    ///   - start: Silence counts from here until the first frame.
    ///   - stallLimit: Silence of this length is a stall.
    ///   - giveUp: Silence of this length is the end.
    init(start: ClockTime, stallLimit: Duration, giveUp: Duration) {
        newest = start
        self.stallLimit = stallLimit
        self.giveUp = giveUp
    }

    /// Judges what is known at `now`, where the newest frame came at `arrival`.
    mutating func check(_ arrival: ClockTime?, at now: ClockTime) -> Verdict {
        if let arrival, arrival > newest { (newest, isStalled) = (arrival, false) }
        if let nextLook, now - nextLook > Self.longestDelay { (newest, isStalled) = (now, false) }
        let verdict = judge(now)
        if case .wait(let until) = verdict { nextLook = until }
        return verdict
    }

    private mutating func judge(_ now: ClockTime) -> Verdict {
        let silence = now - newest
        if silence >= giveUp { return .gone(silence) }
        if isStalled { return .wait(until: newest + giveUp) }
        guard silence >= stallLimit else { return .wait(until: newest + min(stallLimit, giveUp)) }
        isStalled = true
        return .stalled(silence)
    }
}
