// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What would make a gate pass, in words for the prompt.
public enum GateHint: String, Sendable, Hashable, CaseIterable {
    /// The camera moves.
    case holdStill = "hold still"
    /// It has been sharper.
    case notInFocusYet = "not in focus yet"
    /// Too dark.
    case moreLight = "more light"
    /// Too bright, or white in large parts.
    case lessLight = "less light"
    /// What is to fill the outline is too small.
    case closer = "closer"
    /// What is to fill the outline is too large.
    case fartherAway = "farther away"
    /// Its edges are not on the outline.
    case lineUp = "line it up with the outline"
    /// No face is to be seen.
    case faceTheCamera = "face the camera"
}
