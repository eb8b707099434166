// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Converts between a gate's measure and a score from 0 to 1. The usual measure scores 0.5.
///
/// A measure twice as good as usual scores two thirds, three times as good three quarters, half as good one third.
struct GateScale: Sendable {
    /// The usual measure, in the gate's own unit.
    let usual: Double
    /// `true` if a smaller measure is better, as for motion.
    var isReversed = false

    /// Returns the score of a measure, which is zero or more.
    func score(of measure: Double) -> Double {
        guard measure.isFinite else { return isReversed || measure.isNaN ? 0 : 1 }
        let (good, bad) = isReversed ? (usual, max(0, measure)) : (max(0, measure), usual)
        return good / (good + bad)
    }

    /// Returns the measure for a score; infinite at one end.
    func measure(of score: Double) -> Double {
        let score = min(max(0, score), 1)
        return isReversed ? usual * (1 - score) / score : usual * score / (1 - score)
    }
}

extension GateScale {
    /// Motion, as a part of the preview's width.
    static let motion = GateScale(usual: SteadyGate.tolerance, isReversed: true)
    /// Shake that an accelerometer measures, in m/s².
    static let shake = GateScale(usual: ShakeDetector.threshold, isReversed: true)
    /// Light, as the room to the limits.
    static let light = GateScale(usual: 1)
    /// Edges along the outline, as a ratio to their surroundings.
    static let edges = GateScale(usual: AlignedGate.contrast)
    /// The width of a face, as a part of the expected width.
    static let face = GateScale(usual: FaceGate.least)
}

extension GateRequest.Kind {
    /// The required score if the request names none.
    var usualThreshold: Double { self == .focus ? FocusGate.least : 0.5 }
}
