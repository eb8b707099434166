// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Where a session stands, for whoever shows or drives it.
public struct SessionPhase: Sendable, Hashable {
    /// The phase in a word.
    public enum Name: String, Sendable, Hashable, CaseIterable {
        case idle, ready, tutorial
        /// The camera of the stage is waited for.
        case switching
        /// A trigger begins the countdown.
        case armed
        /// The countdown begins as soon as the gates hold.
        case waiting
        case counting, capturing, bringing
        case stageDone = "stage-done"
        case review, accepted, cancelled
    }

    /// The phase in a word.
    public let name: Name
    /// The stage in hand, from 0.
    public var stage: Int?
    /// The page of the tutorial, from 0.
    public var page: Int?

    /// Creates a phase.
    public init(_ name: Name, stage: Int? = nil, page: Int? = nil) {
        (self.name, self.stage, self.page) = (name, stage, page)
    }
}

extension SessionPhase {
    init(of phase: SessionMachine.Phase) {
        let page: Int? = if case .tutorial(let page) = phase { page } else { nil }
        self.init(Name(of: phase), stage: phase.stage, page: page)
    }
}

extension SessionPhase.Name {
    fileprivate init(of phase: SessionMachine.Phase) {
        self =
            switch phase {
            case .idle: .idle
            case .ready: .ready
            case .tutorial: .tutorial
            case .switching: .switching
            case .armed(_, .trigger): .armed
            case .armed(_, .gates): .waiting
            case .counting: .counting
            case .capturing: .capturing
            case .bringing: .bringing
            case .stageDone: .stageDone
            case .review: .review
            case .accepted: .accepted
            case .cancelled: .cancelled
            }
    }
}
