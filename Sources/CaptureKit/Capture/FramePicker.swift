// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Chooses, of frames that come one after the other, the one whose time is nearest the moment asked for.
///
/// Pure: it knows times, not frames.
struct FramePicker: Sendable {
    /// What to do with the frame that was offered.
    enum Verdict: Sendable, Hashable {
        /// It is the nearest so far: keep it in place of the one before, and offer the next.
        case keep
        /// It is the nearest there will be.
        case take
        /// The one kept before is the nearest there will be.
        case takeKept
    }

    /// So long after the moment asked for, any frame that comes is taken: the times of a source that is slower than it
    /// says fall behind, and would never get there.
    static let patience = Duration.seconds(2)

    /// The moment asked for.
    let target: ClockTime
    /// The time from one frame to the next, where the source has a steady rate.
    let frameDuration: Duration?

    private var kept: ClockTime?

    init(target: ClockTime, frameDuration: Duration?) {
        self.target = target
        self.frameDuration = frameDuration
    }

    /// Judges the next frame, which came at `now`. Frames come in the order of their times.
    mutating func offer(_ time: ClockTime, at now: ClockTime) -> Verdict {
        guard time < target else { return judge(after: time) }
        kept = time
        return isNearestToCome(time) || now - target >= Self.patience ? .take : .keep
    }

    private func judge(after time: ClockTime) -> Verdict {
        guard let kept, target - kept <= time - target else { return .take }
        return .takeKept
    }

    /// With a steady rate the next frame is known to be farther off: there is no need to wait for it.
    private func isNearestToCome(_ time: ClockTime) -> Bool {
        guard let frameDuration, frameDuration > .zero else { return false }
        return (target - time) * 2 <= frameDuration
    }
}
