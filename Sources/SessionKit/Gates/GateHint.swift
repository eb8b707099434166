// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A hint that tells the user how to make a gate pass, worded for the prompt.
public enum GateHint: String, Sendable, Hashable, CaseIterable {
    /// The camera moves.
    case holdStill = "hold still"
    /// The picture has been sharper.
    case notInFocusYet = "not in focus yet"
    /// The picture is too dark.
    case moreLight = "more light"
    /// The picture is too bright, or large parts of it are white.
    case lessLight = "less light"
    /// The subject is too small for the outline.
    case closer = "closer"
    /// The subject is too large for the outline.
    case fartherAway = "farther away"
    /// The subject's edges are not on the outline.
    case lineUp = "line it up with the outline"
    /// No face is visible.
    case faceTheCamera = "face the camera"
}
