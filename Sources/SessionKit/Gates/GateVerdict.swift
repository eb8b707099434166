// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A gate's verdict on a frame.
public struct GateVerdict: Sendable, Hashable {
    /// The gate that judged.
    public var gate: Gate
    /// The measured value, in the gate's own unit.
    public var score: Double
    /// The limit of the score. Depending on the gate, the score must be at least or at most this.
    public var threshold: Double
    /// `true` if the gate passes. Several frames in a row must agree to change it, so that hints do not flicker.
    public var passes: Bool
    /// The hint for the user; `nil` if the gate passes.
    public var hint: GateHint?

    /// Creates a verdict.
    public init(gate: Gate, score: Double, threshold: Double, passes: Bool, hint: GateHint?) {
        (self.gate, self.score, self.threshold, self.passes) = (gate, score, threshold, passes)
        self.hint = passes ? nil : hint
    }
}
