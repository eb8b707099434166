// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FrameMeasures
import Glibc

/// Judges whether the camera is held still, from the motion of the whole picture.
///
/// The score is the motion of the picture within the last three frames, in pixels of the preview. A jolt therefore
/// counts whether it takes one frame or three, and a slow drift does not count. Below 22 frames a second fewer frames
/// count, two at 15 and one at 10, so that a drift does not become a jolt. A value type without thread affinity. It
/// allocates nothing once its buffers exist.
public struct SteadyGate: Sendable {
    /// The usual limit: a 128th of the picture's width, 5 pixels at 640 × 360.
    public static let tolerance = 1.0 / 128

    /// The longest jolt; slower motion is drift.
    private static let longest = Duration.milliseconds(140)
    private let tolerance: Double
    private var estimator = MotionEstimator()
    /// The intervals between the last frames, the latest first.
    private var intervals: [Duration] = []
    private var last: ClockTime?
    private var isNear = false
    /// The number of frames for which motion above the threshold is still remembered.
    private var suspicion = 0
    // A jolt fails the gate at once, and the hint stays long enough to be read.
    private var hysteresis = Hysteresis(true, framesToFail: 1, framesToPass: 10)
    /// The motion of the picture in the last frames; `nil` if it cannot be compared, or has too little texture.
    private(set) var motion: GlobalMotion?

    /// Creates a gate.
    ///
    /// - Parameter tolerance: How far the picture may move, as a fraction of its width.
    public init(tolerance: Double = Self.tolerance) { self.tolerance = tolerance }

    /// Judges the next frame. Frames arrive at 10 a second or more.
    ///
    /// - Parameter time: The capture time of the frame; `nil` if frames arrive at some 30 a second.
    public mutating func add(_ frame: LumaFrame, at time: ClockTime? = nil) -> GateVerdict {
        estimator.add(frame)
        record(time)
        let threshold = tolerance * Double(frame.width * frame.scale)
        let reach = Double(BlockMatcher.reach * frame.scale)
        // A swing with a period of three frames looks still. After a failure, every other comparison is therefore with
        // the previous frame.
        isNear = !hysteresis.passes && !isNear
        motion = estimator.motion(since: isNear ? min(1, span) : span)
        // A motion beyond reach is compared with the previous frame: no person in front of the camera moves that far in
        // one frame.
        if !isNear, span > 1, motion?.isBeyondReach == true { motion = estimator.motion(since: 1) }
        let score = confirmed(length(reach), threshold)
        let passes = hysteresis.add(score <= threshold)
        return GateVerdict(gate: .steady, score: score, threshold: threshold, passes: passes, hint: .holdStill)
    }

    private mutating func record(_ time: ClockTime?) {
        var interval = Duration.zero
        if let time, let last { interval = time - last }
        last = time
        if intervals.count == MotionEstimator.farthestBack { intervals.removeLast() }
        intervals.insert(interval, at: 0)
    }

    /// The number of frames back at which a jolt may have begun.
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

    /// Returns the length, or 0 if the evidence is weak and neither of the two previous frames exceeded the threshold.
    private mutating func confirmed(_ length: Double, _ threshold: Double) -> Double {
        let isSuspected = suspicion > 0
        suspicion = length > threshold ? 2 : max(0, suspicion - 1)
        return motion?.evidence == .weak && !isSuspected ? 0 : length
    }
}
