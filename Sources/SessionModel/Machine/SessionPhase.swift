// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The phase of a session, for programs that show or drive the session.
public struct SessionPhase: Sendable, Hashable {
    /// The phase in a word.
    public enum Name: String, Sendable, Hashable, CaseIterable {
        /// The session is being prepared.
        case idle
        /// A trigger begins the session.
        case ready
        /// A trigger agrees to the consent.
        case consent
        /// The user fills in the fields.
        case form
        /// A page of the tutorial is shown.
        case tutorial
        /// The session waits for the camera of the stage.
        case switching
        /// A trigger begins the countdown.
        case armed
        /// The countdown begins when the gates hold, or have timed out.
        case waiting
        /// The countdown runs.
        case counting
        /// A picture of the camera is pending, or a clip that has not begun or is being stored.
        case capturing
        /// A clip is being recorded; a trigger ends it.
        case recording
        /// A picture of the library is pending.
        case bringing
        /// The newest picture of the stage is shown.
        case stageDone = "stage-done"
        /// The user accepts, retakes or discards the pictures.
        case review
        /// The user has accepted the pictures.
        case accepted
        /// The session was canceled, or its pictures were discarded.
        case cancelled
    }

    /// The phase in a word.
    public let name: Name
    /// The current stage, from 0; `nil` outside of stages.
    public var stage: Int?
    /// The page of the tutorial, from 0; `nil` outside of the tutorial.
    public var page: Int?

    /// Creates a phase.
    public init(_ name: Name, stage: Int? = nil, page: Int? = nil) {
        (self.name, self.stage, self.page) = (name, stage, page)
    }
}

extension SessionPhase {
    package init(of phase: SessionMachine.Phase) {
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
            case .consent: .consent
            case .form: .form
            case .tutorial: .tutorial
            case .switching: .switching
            case .armed(_, .trigger): .armed
            case .armed(_, .gates): .waiting
            case .counting: .counting
            case .capturing: .capturing
            case .recording: .recording
            case .bringing: .bringing
            case .stageDone: .stageDone
            case .review: .review
            case .accepted: .accepted
            case .cancelled: .cancelled
            }
    }
}
