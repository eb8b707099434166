// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What a gate says of a frame.
public struct GateVerdict: Sendable, Hashable {
    /// Which one.
    public var gate: Gate
    /// What was measured; its unit is the gate's own.
    public var score: Double
    /// The score from which on, or up to which, it passes.
    public var threshold: Double
    /// Whether the condition holds. It takes some frames that agree to change, so that hints do not flicker.
    public var passes: Bool
    /// What to do about it; `nil` where it passes.
    public var hint: GateHint?

    /// Creates a verdict.
    public init(gate: Gate, score: Double, threshold: Double, passes: Bool, hint: GateHint?) {
        (self.gate, self.score, self.threshold, self.passes) = (gate, score, threshold, passes)
        self.hint = passes ? nil : hint
    }
}
