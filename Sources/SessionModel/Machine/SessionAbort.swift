// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The reason for the abort of a run.
public struct SessionAbort: Sendable, Hashable {
    /// The kind of the reason, for programs.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The user or a program requested the abort.
        case requested
        /// A gate failed during a countdown.
        case gateFailed = "gate-failed"
        /// A gate did not hold within its time limit.
        case gateTimeout = "gate-timeout"
    }

    /// The kind of the reason, for programs.
    public let code: Code
    /// The gate that caused the abort; `nil` if the abort was requested.
    public let gate: GateRequest.Kind?
    /// The reason in words.
    public let message: String
}

extension SessionAbort {
    package init(_ reason: SessionMachine.AbortReason) {
        message = reason.explanation
        switch reason {
        case .asked: (code, gate) = (.requested, nil)
        case .gate(let kind): (code, gate) = (.gateFailed, kind)
        case .expired(let kind): (code, gate) = (.gateTimeout, kind)
        }
    }
}

extension SessionMachine.AbortReason {
    /// The reason in words.
    package var explanation: String {
        switch self {
        case .asked: "a key or a program requested it"
        case .gate(.steady): "the picture was not steady"
        case .gate(.focus): "the picture was no longer sharp"
        case .gate(.light): "the light was no longer right"
        case .gate(.present): "the subject was no longer in the outline"
        case .expired(let kind): "timed out waiting for the gate \"\(kind.rawValue)\""
        }
    }
}
