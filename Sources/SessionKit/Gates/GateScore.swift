// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The score of a gate, as a session records it.
public struct GateScore: Sendable, Hashable {
    /// The kind of the gate.
    public var kind: GateRequest.Kind
    /// The score from 0 to 1, on the scale of ``GateRequest/threshold``; `nil` before the first measurement, and if
    /// nothing can be measured.
    public var score: Double?
    /// The required score.
    public var threshold: Double
    /// `true` if the gate holds. Several frames in a row must agree to change it. A gate that is off counts as holding.
    public var holds: Bool
    /// `true` if the gate cannot be judged here.
    public var isOff = false
}
