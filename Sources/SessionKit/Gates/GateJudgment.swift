// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A verdict with its score on the scale from 0 to 1.
struct GateJudgment: Sendable, Hashable {
    /// The score from 0 to 1, see ``GateScale``.
    var score: Double
    var holds: Bool
    /// `nil` if the gate holds.
    var hint: GateHint?

    init(_ verdict: GateVerdict, score: Double) {
        (self.score, holds, hint) = (score, verdict.passes, verdict.hint)
    }

    /// Combines two judgments: both have to hold.
    func joined(_ other: GateJudgment) -> GateJudgment {
        var joined = score <= other.score ? self : other
        (joined.holds, joined.hint) = (holds && other.holds, hint ?? other.hint)
        return joined
    }
}
