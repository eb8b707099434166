// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// Shows what happens during a session; one for programs, one for people.
protocol SessionPrinter: Sendable {
    /// Shows an event, in the order they happen.
    func show(_ event: SessionEvent)
    /// Shows an error that ends all.
    func report(_ error: CaptureError)
    /// Says something of the command's own.
    func tell(_ text: String)
}
