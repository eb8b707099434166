// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import SessionKit

/// Prints the events of a session. One implementation is for programs, one for people.
protocol SessionPrinter: Sendable {
    /// Prints an event. Events arrive in order.
    func show(_ event: NumberedSessionEvent)
    /// Reports an error that ends the session.
    func report(_ error: CaptureError)
    /// Prints a message of the command itself.
    func report(_ notice: Notice)
}
