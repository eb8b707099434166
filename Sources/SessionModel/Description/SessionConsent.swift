// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The text to which the person in the pictures agrees before a session begins.
public struct SessionConsent: Sendable, Hashable {
    /// The text to agree to.
    public var text: String
    /// How long a service keeps the pictures after the session has ended; `nil` for no limit. The screen shows it.
    public var retention: Duration?

    /// Creates a consent.
    public init(_ text: String, retention: Duration? = nil) { (self.text, self.retention) = (text, retention) }
}
