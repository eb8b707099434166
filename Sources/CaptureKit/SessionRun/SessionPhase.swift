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
        switch phase {
        case .idle: self.init(.idle)
        case .ready: self.init(.ready)
        case .tutorial(let page): self.init(.tutorial, page: page)
        case .switching(let stage, _): self.init(.switching, stage: stage)
        case .armed(let stage, .trigger): self.init(.armed, stage: stage)
        case .armed(let stage, .gates): self.init(.waiting, stage: stage)
        case .counting(let stage, _): self.init(.counting, stage: stage)
        case .capturing(let stage, _, _): self.init(.capturing, stage: stage)
        case .bringing(let stage, _): self.init(.bringing, stage: stage)
        case .stageDone(let stage, _): self.init(.stageDone, stage: stage)
        case .review: self.init(.review)
        case .accepted: self.init(.accepted)
        case .cancelled: self.init(.cancelled)
        }
    }
}
