// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How well a condition holds, as a session writes it down.
public struct GateScore: Sendable, Hashable {
    /// What has to hold.
    public var kind: GateRequest.Kind
    /// From 0 to 1, as ``GateRequest/threshold`` counts; `nil` where nothing was measured yet, or nothing can be.
    public var score: Double?
    /// The score that it takes.
    public var threshold: Double
    /// Whether it holds. It takes some frames that agree to change; what is off counts as holding.
    public var holds: Bool
    /// True where it cannot be judged here.
    public var isOff = false
}
