// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase
import Testing

@testable import SessionModel

/// A session machine with a manual clock.
struct SessionDrive {
    var machine: SessionMachine
    var now = ClockTime(nanoseconds: 1_000_000_000_000)
    /// All effects of the machine, in order.
    private(set) var effects: [SessionMachine.Effect] = []

    init(
        _ session: SessionDescription, _ plan: SessionMachine.Plan = SessionMachine.Plan(usualCamera: .back),
        from progress: SessionProgress? = nil
    ) throws {
        machine = try progress.map { try SessionMachine(session, plan, from: $0) } ?? SessionMachine(session, plan)
    }

    @discardableResult
    mutating func callAsFunction(_ inputs: SessionMachine.Input...) -> [SessionMachine.Effect] {
        let effects = inputs.flatMap { machine.handle($0, at: now) }
        self.effects += effects
        return effects
    }

    /// Advances the clock to the wake that the machine requested last, and wakes it.
    @discardableResult
    mutating func advance() -> [SessionMachine.Effect] {
        for case .wake(let time) in effects.reversed() {
            now = max(now, time)
            break
        }
        return self(.wake)
    }

    /// Runs the countdown to its end and delivers the picture.
    mutating func picture() {
        while case .counting = machine.phase { advance() }
        guard let number = asked else { return }
        self(.taken(picture: number))
    }

    /// The number of the pending picture.
    var asked: Int? { machine.phase.picture }

    /// The numbers of the pictures of each stage.
    var pictures: [[Int]] { machine.progress.stages.map { $0.pictures.map(\.number) } }
}

extension SessionDescription {
    /// Two stages for any camera, of which the first can be skipped, and a third for the front camera. The first stage
    /// waits for a trigger; the others begin by themselves.
    static var three: SessionDescription {
        var session = SessionDescription(name: "three", stages: ["one", "two", "three"].map { SessionStage(name: $0) })
        session.stages[0].isSkippable = true
        session.stages[2].camera = .front
        return session
    }

    /// The session `three`, with changes.
    static func three(_ change: (inout SessionDescription) -> Void) -> SessionDescription {
        var session = three
        change(&session)
        return session
    }
}

extension SessionMachine.Phase {
    /// The name of the phase, without its values.
    var name: String {
        switch self {
        case .idle: "idle"
        case .ready: "ready"
        case .consent: "consent"
        case .form: "form"
        case .tutorial: "tutorial"
        case .switching: "switching"
        case .armed(_, .trigger): "armed"
        case .armed(_, .gates): "waiting"
        case .counting: "counting"
        case .capturing: "capturing"
        case .recording: "recording"
        case .bringing: "bringing"
        case .stageDone: "done"
        case .review: "review"
        case .accepted: "accepted"
        case .cancelled: "cancelled"
        }
    }

    /// The number of the pending picture.
    var picture: Int? {
        switch self {
        case .capturing(_, let picture, _), .recording(_, let picture, _), .bringing(_, let picture): picture
        default: nil
        }
    }
}
