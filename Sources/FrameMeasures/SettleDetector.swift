// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Detects when exposure has converged, from the brightness of one frame after the other.
///
/// The picture is steady when the last frames, at least `steadyFrames` of them over at least `steadySpan`, all lie
/// within the tolerance of each other, and none is black: cameras deliver black frames before their first picture.
/// Pure: it reads no clock.
package struct SettleDetector: Sendable {
    /// How far apart the brightness of steady frames may be, as a fraction of white.
    static let tolerance = 0.012
    /// How many frames must agree.
    static let steadyFrames = 6
    /// How long they must agree.
    static let steadySpan = Duration.milliseconds(250)
    /// The largest brightness of a black picture, as a fraction of white.
    static let black = 0.004

    private let settle: Settle
    private var start: ClockTime?
    private var recent: [(time: ClockTime, brightness: Double)] = []
    private var frames = 0

    package init(_ settle: Settle) { self.settle = settle }

    /// `true` if brightness has no effect and need not be measured.
    package var ignoresBrightness: Bool {
        if case .automatic = settle { false } else { true }
    }

    /// Adds the next frame. Returns the report once the wait is over; `nil` before.
    package mutating func add(_ time: ClockTime, brightness: Double?) -> SettleReport? {
        let elapsed = time - (start ?? time)
        start = start ?? time
        frames += 1
        switch settle {
        case .off: return report(.off, elapsed)
        case .fixed(let wanted): return elapsed >= wanted ? report(.waited, elapsed) : nil
        case .automatic(let limit):
            if let brightness { remember(time, brightness) }
            if isSteady { return report(.steady, elapsed) }
            return elapsed >= limit ? report(.gaveUp, elapsed) : nil
        }
    }

    private mutating func remember(_ time: ClockTime, _ brightness: Double) {
        recent.append((time, brightness))
        // Drop frames older than those that have to agree.
        while recent.count > Self.steadyFrames, time - recent[1].time >= Self.steadySpan { recent.removeFirst() }
    }

    private var isSteady: Bool {
        guard let first = recent.first, let last = recent.last, recent.count >= Self.steadyFrames,
            last.time - first.time >= Self.steadySpan
        else { return false }
        let levels = recent.map(\.brightness)
        guard let low = levels.min(), let high = levels.max() else { return false }
        return low > Self.black && high - low <= Self.tolerance
    }

    private func report(_ outcome: SettleReport.Outcome, _ duration: Duration) -> SettleReport {
        SettleReport(outcome: outcome, duration: duration, frames: frames, brightness: recent.last?.brightness)
    }
}

/// How to wait until exposure has converged.
public enum Settle: Sendable, Hashable {
    /// Do not wait.
    case off
    /// Wait until brightness is steady, at most this long. Settings use it by default for cameras except the scene, and
    /// ``off`` for all other sources.
    case automatic(limit: Duration = .seconds(5))
    /// Wait for a fixed time.
    case fixed(Duration)
}

/// How the wait for exposure ended.
public struct SettleReport: Sendable, Hashable {
    /// The reason why the wait ended.
    public enum Outcome: String, Sendable, Hashable {
        /// There was no wait.
        case off
        /// The picture is steady.
        case steady
        /// The fixed time is over.
        case waited
        /// The wait timed out: the picture was still changing or black, or its brightness could not be measured.
        case gaveUp = "gave-up"
    }

    /// Why the wait ended.
    public let outcome: Outcome
    /// How long the wait took, from the first frame.
    public let duration: Duration
    /// The number of frames from the beginning of the wait to its end.
    public let frames: Int
    /// The mean luma of the last frame that was measured, 0 black to 1 white; `nil` if no frame was.
    public let brightness: Double?
}
