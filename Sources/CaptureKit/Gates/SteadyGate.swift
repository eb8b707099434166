// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// Says whether the camera is held still, from the motion of the whole picture.
///
/// The score is how far the picture moved within the last three frames, in pixels of the preview, so that a jolt counts
/// whether it takes one frame or three; a slow drift does not. Of frames that come more slowly than 25 a second fewer
/// count, two at 15 and one at 10, so that a drift does not become a jolt. A value, of no thread; it allocates nothing as
/// it runs.
public struct SteadyGate: Sendable {
    /// By default the picture may move by a 128th of its width: 5 pixels at 640 × 360.
    public static let tolerance = 1.0 / 128

    private static let span = 3
    /// What took longer than this is no jolt.
    private static let longest = Duration.milliseconds(140)
    private let tolerance: Double
    private var estimator = MotionEstimator()
    private var recent: [Step] = []
    private var last: ClockTime?
    // A jolt is told at once, and stands long enough to be read.
    private var hysteresis = Hysteresis(true, framesToFail: 1, framesToPass: 10)
    /// How the picture moved in the last frame; `nil` where there was too little to see.
    private(set) var motion: GlobalMotion?

    /// How the picture moved from a frame to the next, and in which time.
    private struct Step: Sendable {
        var x = 0.0, y = 0.0
        var duration = Duration.zero
    }

    /// Creates a gate.
    ///
    /// - Parameter tolerance: how far the picture may move, as a part of its width.
    public init(tolerance: Double = Self.tolerance) { self.tolerance = tolerance }

    /// Takes the next frame into account. Frames come at 10 a second or more.
    ///
    /// - Parameter time: When it was taken; `nil` where frames are known to come at some 30 a second.
    public mutating func add(_ frame: LumaFrame, at time: ClockTime? = nil) -> GateVerdict {
        motion = estimator.add(frame)
        if recent.count == Self.span { recent.removeFirst() }
        var step = step(frame)
        if let time, let last { step.duration = time - last }
        last = time
        recent.append(step)
        let (score, threshold) = (farthest, tolerance * Double(frame.width * frame.scale))
        let passes = hysteresis.add(score <= threshold)
        return GateVerdict(gate: .steady, score: score, threshold: threshold, passes: passes, hint: .holdStill)
    }

    private func step(_ frame: LumaFrame) -> Step {
        guard let motion else { return Step() }
        if motion.isBeyondReach { return Step(x: Double(BlockMatcher.reach * frame.scale)) }
        return motion.isCommon ? Step(x: motion.x, y: motion.y) : Step()
    }

    /// Of the ways over the last frames, the longest.
    private var farthest: Double {
        var (x, y, farthest, duration) = (0.0, 0.0, 0.0, Duration.zero)
        for (index, step) in recent.reversed().enumerated() {
            duration += step.duration
            guard index == 0 || duration <= Self.longest else { break }
            (x, y) = (x + step.x, y + step.y)
            farthest = max(farthest, hypot(x, y))
        }
        return farthest
    }
}
