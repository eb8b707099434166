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

    /// What took longer than this is no jolt.
    private static let longest = Duration.milliseconds(140)
    private let tolerance: Double
    private var estimator = MotionEstimator()
    /// How long the last frames took, the latest first.
    private var intervals: [Duration] = []
    private var last: ClockTime?
    private var isNear = false
    /// For how many frames more what was seen is remembered.
    private var suspicion = 0
    // A jolt is told at once, and stands long enough to be read.
    private var hysteresis = Hysteresis(true, framesToFail: 1, framesToPass: 10)
    /// How the picture moved in the last frames; `nil` where there was too little to see.
    private(set) var motion: GlobalMotion?

    /// Creates a gate.
    ///
    /// - Parameter tolerance: how far the picture may move, as a part of its width.
    public init(tolerance: Double = Self.tolerance) { self.tolerance = tolerance }

    /// Takes the next frame into account. Frames come at 10 a second or more.
    ///
    /// - Parameter time: When it was taken; `nil` where frames are known to come at some 30 a second.
    public mutating func add(_ frame: LumaFrame, at time: ClockTime? = nil) -> GateVerdict {
        estimator.add(frame)
        note(time)
        let threshold = tolerance * Double(frame.width * frame.scale)
        let reach = Double(BlockMatcher.reach * frame.scale)
        // What swings as fast as three frames seems to stand: while it shakes, every other look is at the last frame.
        isNear = !hysteresis.passes && !isNear
        motion = estimator.motion(since: isNear ? min(1, span) : span)
        // In one frame nobody before the camera goes that far.
        if !isNear, span > 1, motion?.isBeyondReach == true { motion = estimator.motion(since: 1) }
        let score = confirmed(length(reach), threshold)
        let passes = hysteresis.add(score <= threshold)
        return GateVerdict(gate: .steady, score: score, threshold: threshold, passes: passes, hint: .holdStill)
    }

    private mutating func note(_ time: ClockTime?) {
        var interval = Duration.zero
        if let time, let last { interval = time - last }
        last = time
        if intervals.count == MotionEstimator.farthestBack { intervals.removeLast() }
        intervals.insert(interval, at: 0)
    }

    /// How many frames back a jolt may have begun.
    private var span: Int {
        var (duration, span) = (Duration.zero, 0)
        for interval in intervals.prefix(max(0, estimator.back)) {
            duration += interval
            guard span == 0 || duration <= Self.longest else { break }
            span += 1
        }
        return span
    }

    private func length(_ reach: Double) -> Double {
        guard let motion else { return 0 }
        if motion.isBeyondReach { return reach }
        return motion.evidence == .none ? 0 : hypot(motion.x, motion.y)
    }

    /// What there is weak evidence of counts where there was some in one of the two frames before.
    private mutating func confirmed(_ length: Double, _ threshold: Double) -> Double {
        let isSuspected = suspicion > 0
        suspicion = length > threshold ? 2 : max(0, suspicion - 1)
        return motion?.evidence == .weak && !isSuspected ? 0 : length
    }
}
