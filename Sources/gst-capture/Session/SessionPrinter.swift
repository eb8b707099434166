// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import SessionKit

extension SessionPrinter {
    func answer(_ answer: SessionController.Answer, to request: SessionRequest) {}
    func answer(_ error: CaptureError) { report(Notice(.information, error)) }
    func answer(_ snapshot: SessionSnapshot, to request: SessionRequest) {}
}

/// Prints the events of a session. One implementation is for programs, one for people.
protocol SessionPrinter: Sendable {
    /// Prints an event. Events arrive in order.
    func show(_ event: NumberedSessionEvent)
    /// Reports an error that ends the session.
    func report(_ error: CaptureError)
    /// Prints the answer to a program's request.
    func answer(_ answer: SessionController.Answer, to request: SessionRequest)
    /// Prints the answer to a request that cannot be read.
    func answer(_ error: CaptureError)
    /// Prints the answer to a request for the state.
    func answer(_ snapshot: SessionSnapshot, to request: SessionRequest)
    /// Prints a message of the command itself.
    func report(_ notice: Notice)
}
