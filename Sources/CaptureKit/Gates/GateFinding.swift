// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What came of a condition that a session watches: told once it is known, and whenever it changes.
struct GateFinding: Sendable, Hashable {
    /// Which call of ``GateWatch/watch(_:of:)`` it answers.
    var generation: Int
    /// What has to hold, whether it does, and how well.
    var score: GateScore
    /// What to do about it; `nil` where it holds.
    var hint: GateHint?
    /// Why it is off; or, where it is not, what it has to do without.
    var reason: String?

    var kind: GateRequest.Kind { score.kind }
    var holds: Bool { score.holds }
    var isOff: Bool { score.isOff }
}
