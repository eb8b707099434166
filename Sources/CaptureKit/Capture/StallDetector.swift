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

    /// How much silence is too much.
    struct Limits: Sendable, Hashable {
        /// Silence of this length is a stall.
        var stall: Duration
        /// Silence of this length is the end.
        var giveUp: Duration
        /// No first frame for this long is the end.
        var first: Duration
    }

    private var newest: ClockTime
    private var hasFrames = false
    private var isStalled = false
    private var nextLook: ClockTime?
    private static let longestDelay = Duration.seconds(1)

    /// - Parameter start: Silence counts from here until the first frame.
    init(start: ClockTime) { newest = start }

    /// Judges what is known at `now`, where the newest frame came at `arrival`.
    mutating func check(_ arrival: ClockTime?, at now: ClockTime, _ limits: Limits) -> Verdict {
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
    /// A stall is a few frames that do not come, and never so few that a busy machine looks like one.
    private static let frames = 8

    /// Those of a capture, for a camera with this time from frame to frame, where that is known.
    init(_ configuration: CaptureConfiguration, frameDuration: Duration?) {
        let stall = max(configuration.stallLimit, (frameDuration ?? .zero) * Self.frames)
        // What recovers is not watched in its silence any longer.
        let giveUp = configuration.recovery.isOn ? stall : max(stall, configuration.giveUp)
        self.init(stall: stall, giveUp: giveUp, first: max(stall, configuration.giveUp))
    }
}
