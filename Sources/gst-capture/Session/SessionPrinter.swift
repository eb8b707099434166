// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

extension SessionPrinter {
    func answer(_ answer: SessionController.Answer, to request: SessionRequest) {}
    func answer(_ error: CaptureError) { tell("\(error)") }
    func answer(_ snapshot: SessionSnapshot, to request: SessionRequest) {}
}

/// Shows what happens during a session; one for programs, one for people.
protocol SessionPrinter: Sendable {
    /// Shows an event, in the order they happen.
    func show(_ event: NumberedSessionEvent)
    /// Shows an error that ends all.
    func report(_ error: CaptureError)
    /// Answers a request of a program.
    func answer(_ answer: SessionController.Answer, to request: SessionRequest)
    /// Answers a request that cannot be read.
    func answer(_ error: CaptureError)
    /// Answers a request for the state.
    func answer(_ snapshot: SessionSnapshot, to request: SessionRequest)
    /// Says something of the command's own.
    func tell(_ text: String)
}
