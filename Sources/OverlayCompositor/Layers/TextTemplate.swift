// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Text with strftime's letters for the time, and `{name}` for what the program knows: `{countdown}`, `{stage}`.
public struct TextTemplate: Sendable, Hashable {
    /// As it was written.
    public let source: String

    /// Takes any text: what is no placeholder stays as it is.
    public init(_ source: String) { self.source = source }
}
