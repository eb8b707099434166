// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures

/// Detects shake from the deviation of the acceleration from gravity, its constant part. The score is in m/s². Pure.
struct ShakeDetector: Sendable {
    /// The usual limit. A hand that holds still stays below a third of it; a tap on the device exceeds it.
    static let threshold = 0.8

    /// The weight of each reading in the estimate of gravity: a camera that turns slowly does not shake.
    private static let following = 0.1

    let threshold: Double
    private var gravity: Acceleration?
    private var hysteresis = Hysteresis(true, framesToFail: 1, framesToPass: 10)

    init(threshold: Double = Self.threshold) { self.threshold = threshold }

    mutating func add(_ acceleration: Acceleration) -> GateVerdict {
        let usual = gravity ?? acceleration
        let score = (acceleration - usual).length
        gravity = usual.moved(toward: acceleration, by: Self.following)
        let passes = hysteresis.add(score <= threshold)
        return GateVerdict(gate: .steady, score: score, threshold: threshold, passes: passes, hint: .holdStill)
    }
}

/// An acceleration as an accelerometer measures it, gravity included, in m/s².
struct Acceleration: Sendable, Hashable {
    var x: Double
    var y: Double
    var z: Double

    var length: Double { (x * x + y * y + z * z).squareRoot() }

    static func - (one: Acceleration, other: Acceleration) -> Acceleration {
        Acceleration(x: one.x - other.x, y: one.y - other.y, z: one.z - other.z)
    }

    /// Returns the acceleration moved toward another by a part of their difference.
    func moved(toward other: Acceleration, by part: Double) -> Acceleration {
        let way = other - self
        return Acceleration(x: x + way.x * part, y: y + way.y * part, z: z + way.z * part)
    }
}
