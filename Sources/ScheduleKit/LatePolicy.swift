// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The handling of a slot whose moment passed before a frame could be chosen.
public enum LatePolicy: String, Sendable, Hashable, CaseIterable {
    /// A picture is captured late, until the next slot is due.
    case late
    /// No picture is captured: the slot is missed.
    case skip
}
