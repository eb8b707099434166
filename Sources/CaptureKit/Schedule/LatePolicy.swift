// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What becomes of a slot whose moment went by before a frame could be chosen.
public enum LatePolicy: String, Sendable, Hashable, CaseIterable {
    /// A picture is taken late, until the next slot is due.
    case late
    /// No picture is taken: the slot is missed.
    case skip
}
