// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Turns what a gate measures into a score from 0 to 1, of which 0.5 is what is usually asked for, and back.
///
/// What is twice as good as usual scores two thirds, three times as good three quarters, half as good one third.
struct GateScale: Sendable {
    /// What is usually asked for, in the gate's own measure.
    let usual: Double
    /// True where less is better, as of motion.
    var isReversed = false

    /// The score of a measure, which is zero or more.
    func score(of measure: Double) -> Double {
        guard measure.isFinite else { return isReversed || measure.isNaN ? 0 : 1 }
        let (good, bad) = isReversed ? (usual, max(0, measure)) : (max(0, measure), usual)
        return good / (good + bad)
    }

    /// The measure that has this score; infinite at one end.
    func measure(of score: Double) -> Double {
        let score = min(max(0, score), 1)
        return isReversed ? usual * (1 - score) / score : usual * score / (1 - score)
    }
}

extension GateScale {
    /// Motion, as a part of the preview's width.
    static let motion = GateScale(usual: SteadyGate.tolerance, isReversed: true)
    /// Shake that an accelerometer feels, in m/s².
    static let shake = GateScale(usual: ShakeDetector.threshold, isReversed: true)
    /// Light, as the room that is left to the limits.
    static let light = GateScale(usual: 1)
    /// Edges along the outline, against what is beside it.
    static let edges = GateScale(usual: AlignedGate.contrast)
    /// The width of a face, as a part of the outline's.
    static let face = GateScale(usual: FaceGate.least)
}

extension GateRequest.Kind {
    /// The score that is asked for where none is said.
    var usualThreshold: Double { self == .focus ? FocusGate.least : 0.5 }
}
