// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The state of a gate that a session watches. A watch emits it once the state is known, and on every change.
public struct GateFinding: Sendable, Hashable {
    /// The call of ``GateWatch/watch(_:of:)`` that the finding belongs to.
    var generation: Int
    /// The gate, whether it holds, and its score.
    public var score: GateScore
    /// The hint for the user; `nil` if the gate holds.
    public var hint: GateHint?
    /// Why the gate is off; if it is on, why one of its two judges is unavailable.
    public var reason: String?

    /// The kind of the gate.
    public var kind: GateRequest.Kind { score.kind }
    /// `true` if the gate holds. A gate that is off counts as holding.
    public var holds: Bool { score.holds }
    /// `true` if the gate cannot be judged here.
    public var isOff: Bool { score.isOff }
}
