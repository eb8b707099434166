// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Tells shake from how acceleration differs from gravity, which is what stays. The score is in m/s². Pure.
struct ShakeDetector: Sendable {
    /// By default: a hand that holds still stays below a third of it, a tap on the device goes beyond.
    static let threshold = 0.8

    /// The part of each reading that gravity follows: a camera that is turned slowly does not shake.
    private static let following = 0.1

    let threshold: Double
    private var gravity: Acceleration?
    private var hysteresis = Hysteresis(true, framesToFail: 1, framesToPass: 10)

    init(threshold: Double = Self.threshold) { self.threshold = threshold }

    mutating func add(_ acceleration: Acceleration) -> GateVerdict {
        let usual = gravity ?? acceleration
        let score = (acceleration - usual).length
        gravity = usual.moved(towards: acceleration, by: Self.following)
        let passes = hysteresis.add(score < threshold)
        return GateVerdict(gate: .steady, score: score, threshold: threshold, passes: passes, hint: .holdStill)
    }
}
