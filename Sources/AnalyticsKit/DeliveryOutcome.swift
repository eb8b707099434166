// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The result of an attempt to deliver an event.
package enum DeliveryOutcome: Sendable {
    case delivered
    /// The receiver does not accept this event, now or later.
    case refused(String)
    /// A later attempt may succeed, at the earliest after the pause that the receiver asks for.
    case failed(String, pause: Duration?)
}
