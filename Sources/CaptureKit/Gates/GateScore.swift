// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What a gate of a session found at one moment, for the record of a picture.
public struct GateScore: Sendable, Hashable {
    /// What had to hold.
    public var kind: GateRequest.Kind
    /// Whether it held.
    public var holds: Bool
    /// What was measured, in the gate's own unit; `nil` where the gate was off.
    public var score: Double?
    /// From which score on, or up to which, it holds; `nil` where the gate was off.
    public var threshold: Double?

    /// Creates a score.
    public init(kind: GateRequest.Kind, holds: Bool, score: Double? = nil, threshold: Double? = nil) {
        (self.kind, self.holds, self.score, self.threshold) = (kind, holds, score, threshold)
    }
}
