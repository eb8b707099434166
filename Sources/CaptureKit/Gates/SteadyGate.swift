// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Says whether the camera is held still, from the motion of the whole picture.
///
/// The score is how far the picture moved within the last three frames, in pixels of the preview, so that a jolt counts
/// whether it takes one frame or three; a slow drift does not. A value, of no thread; it allocates nothing as it runs.
public struct SteadyGate: Sendable {
    /// By default the picture may move by a 128th of its width: 5 pixels at 640 × 360.
    public static let tolerance = 1.0 / 128

    private static let span = 3
    private let tolerance: Double
    private var estimator = MotionEstimator()
    private var recent: [(x: Double, y: Double)] = []
    // A jolt is told at once, and stands long enough to be read.
    private var hysteresis = Hysteresis(true, framesToFail: 1, framesToPass: 10)
    /// How the picture moved in the last frame; `nil` where there was too little to see.
    private(set) var motion: GlobalMotion?

    /// Creates a gate.
    ///
    /// - Parameter tolerance: how far the picture may move, as a part of its width.
    public init(tolerance: Double = Self.tolerance) { self.tolerance = tolerance }

    /// Takes the next frame into account. Frames come at 15 a second or more.
    public mutating func add(_ frame: LumaFrame) -> GateVerdict {
        motion = estimator.add(frame)
        if recent.count == Self.span { recent.removeFirst() }
        recent.append(step(frame))
        let (score, threshold) = (farthest, tolerance * Double(frame.width * frame.scale))
        let passes = hysteresis.add(score <= threshold)
        return GateVerdict(gate: .steady, score: score, threshold: threshold, passes: passes, hint: .holdStill)
    }

    private func step(_ frame: LumaFrame) -> (x: Double, y: Double) {
        guard let motion else { return (0, 0) }
        if motion.isBeyondReach { return (Double(BlockMatcher.reach * frame.scale), 0) }
        return motion.isCommon ? (motion.x, motion.y) : (0, 0)
    }

    /// Of the ways over the last frames, the longest.
    private var farthest: Double {
        var (x, y, farthest) = (0.0, 0.0, 0.0)
        for step in recent.reversed() {
            (x, y) = (x + step.x, y + step.y)
            farthest = max(farthest, hypot(x, y))
        }
        return farthest
    }
}
