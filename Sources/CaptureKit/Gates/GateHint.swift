// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What would make a gate pass, in words for the prompt.
public enum GateHint: String, Sendable, Hashable, CaseIterable {
    case holdStill = "hold still"
    case notInFocusYet = "not in focus yet"
    case moreLight = "more light"
    case lessLight = "less light"
    case closer = "closer"
    case fartherAway = "farther away"
    case lineUp = "line it up with the outline"
    case faceTheCamera = "face the camera"
}
