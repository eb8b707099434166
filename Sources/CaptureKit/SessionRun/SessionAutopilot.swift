// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Goes through a session without anybody: begins, takes every picture, and accepts. Pure.
struct SessionAutopilot: Sendable {
    /// So often a stage is tried.
    static let mostAttempts = 3

    /// True where pictures come from a library.
    let brings: Bool
    private var failures = 0
    private var aborts = 0

    init(brings: Bool) { self.brings = brings }

    /// What to do in a phase that waits for somebody.
    func input(in phase: SessionMachine.Phase) -> SessionMachine.Input? {
        switch phase {
        case .ready: .trigger
        case .tutorial: .skip
        case .armed(_, .trigger): brings ? .bring : .trigger
        case .switching where brings: .bring
        case .review: .accept
        default: nil
        }
    }

    /// Takes what was told into account; answers why there is no use in going on.
    mutating func note(_ notice: SessionMachine.Notice) -> CaptureError? {
        switch notice {
        // Aborts are counted on: where each round of many stages fails at the last, one is done each time.
        case .stageDone: failures = 0
        case .failed(_, let error):
            failures += 1
            // A file of the library that is left out would put all that follow into the wrong stages.
            if brings || failures >= Self.mostAttempts { return error }
        case .aborted(_, let reason, _):
            aborts += 1
            if aborts >= Self.mostAborts { return .abortedAgain(reason.explanation, times: aborts) }
        default: break
        }
        return nil
    }

    /// Where the picture shakes that often, it will again.
    private static let mostAborts = 8
}

extension CaptureError {
    fileprivate static func abortedAgain(_ reason: String, times: Int) -> CaptureError {
        CaptureError(
            .temporary, "was aborted \(times) times: \(reason)", subject: "session",
            advice: "mend that, or run it without that gate")
    }
}
