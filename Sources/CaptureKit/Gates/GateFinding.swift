// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What came of a condition that a session watches: told once it is known, and whenever it changes.
public struct GateFinding: Sendable, Hashable {
    /// Which call of ``GateWatch/watch(_:of:)`` it answers.
    var generation: Int
    /// What has to hold, whether it does, and how well.
    public var score: GateScore
    /// What to do about it; `nil` where it holds.
    public var hint: GateHint?
    /// Why it is off; or, where it is not, what it has to do without.
    public var reason: String?

    /// What has to hold.
    public var kind: GateRequest.Kind { score.kind }
    /// Whether it does; what is off counts as holding.
    public var holds: Bool { score.holds }
    /// True where it cannot be judged here.
    public var isOff: Bool { score.isOff }
}
