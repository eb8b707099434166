// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How to wait until exposure and white balance have converged.
public enum Settle: Sendable, Hashable {
    /// Do not wait.
    case off
    /// Until brightness is steady, at most this long. Settings choose ``off`` for the scene, which is always steady.
    case automatic(limit: Duration = .seconds(5))
    /// A fixed time.
    case fixed(Duration)
}
