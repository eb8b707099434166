// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Runs a session without a user: begins, captures or brings in every picture, and accepts the pictures. Pure.
package struct SessionAutopilot: Sendable {
    /// The number of failed pictures in a stage after which the session fails. With a library, the first one suffices.
    static let mostAttempts = 3

    /// `true` to bring in pictures of a library instead of triggering the camera.
    private let brings: Bool
    private var failures = 0
    private var aborts = 0

    package init(brings: Bool) { self.brings = brings }

    /// Returns the request to make when a phase begins; `nil` if the session continues by itself.
    package func input(in phase: SessionMachine.Phase) -> SessionMachine.Input? {
        switch phase {
        case .ready, .consent, .form: .trigger
        case .tutorial: .skip
        case .armed(_, .trigger): brings ? .bring() : .trigger
        case .switching where brings: .bring()
        case .review: .accept
        default: nil
        }
    }

    /// Handles a notice; returns the error with which the session fails, or `nil` if it continues.
    package mutating func handle(_ notice: SessionMachine.Notice) -> CaptureError? {
        switch notice {
        // A completed stage does not reset the aborts: rounds that are always aborted in their last stage complete the
        // earlier ones each time.
        case .stageDone: failures = 0
        case .failed(_, let error):
            failures += 1
            // Without this file of the library, all later files would go into the wrong stages.
            if brings || failures >= Self.mostAttempts { return error }
        case .refused(.fieldsMissing): return .fieldsMissing
        case .aborted(_, let reason, _):
            aborts += 1
            if aborts >= Self.mostAborts { return .abortedAgain(reason.explanation, times: aborts) }
        default: break
        }
        return nil
    }

    /// The number of aborts after which the session fails: the cause is unlikely to pass.
    private static let mostAborts = 8
}

extension CaptureError {
    fileprivate static let fieldsMissing = CaptureError(
        .usage, "fields of the session are missing", subject: "session", advice: "give their values first")

    fileprivate static func abortedAgain(_ reason: String, times: Int) -> CaptureError {
        CaptureError(
            .temporary, "was aborted \(times) times: \(reason)", subject: "session",
            advice: "fix the cause, or run without that gate")
    }
}
