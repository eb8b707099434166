// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What is made of a verdict where scores are from 0 to 1.
struct GateJudgement: Sendable, Hashable {
    /// From 0 to 1, see ``GateScale``.
    var score: Double
    var holds: Bool
    /// `nil` where it holds.
    var hint: GateHint?

    init(_ verdict: GateVerdict, score: Double) {
        (self.score, holds, hint) = (score, verdict.passes, verdict.hint)
    }

    /// Both have to hold.
    func joined(_ other: GateJudgement) -> GateJudgement {
        var joined = score <= other.score ? self : other
        (joined.holds, joined.hint) = (holds && other.holds, hint ?? other.hint)
        return joined
    }
}
