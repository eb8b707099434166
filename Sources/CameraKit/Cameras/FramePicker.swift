// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Chooses the frame whose time is nearest to a requested moment, from frames that come one after the other.
///
/// Pure: it handles times, not frames.
package struct FramePicker: Sendable {
    /// The action for the offered frame.
    package enum Verdict: Sendable, Hashable {
        /// The frame is the nearest so far: keep it in place of the one before, and offer the next.
        case keep
        /// The frame is the nearest; no nearer one will come.
        case take
        /// The frame that was kept before is the nearest; no nearer one will come.
        case takeKept
    }

    /// How long after the requested moment the search ends: from then on, the next frame is accepted. The timestamps of
    /// a source that is slower than it states fall behind and would never reach the moment.
    package static let patience = Duration.seconds(2)

    /// The requested moment.
    private let target: ClockTime
    /// The time from one frame to the next; `nil` if the source has no steady rate.
    private let frameDuration: Duration?

    private var kept: ClockTime?

    package init(target: ClockTime, frameDuration: Duration?) {
        self.target = target
        self.frameDuration = frameDuration
    }

    /// Judges the next frame, which arrived at `now`. Frames must come in the order of their times.
    package mutating func offer(_ time: ClockTime, at now: ClockTime) -> Verdict {
        guard time < target else { return judge(after: time) }
        kept = time
        return isNearestToCome(time) || now - target >= Self.patience ? .take : .keep
    }

    private func judge(after time: ClockTime) -> Verdict {
        guard let kept, target - kept <= time - target else { return .take }
        return .takeKept
    }

    /// Returns `true` if the source has a steady rate and its next frame is farther off, so there is no need to wait
    /// for it.
    private func isNearestToCome(_ time: ClockTime) -> Bool {
        guard let frameDuration, frameDuration > .zero else { return false }
        return (target - time) * 2 <= frameDuration
    }
}
