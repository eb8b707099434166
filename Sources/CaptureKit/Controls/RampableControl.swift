// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Something that can follow the light from picture to picture, in steps so small that a film of them does not flicker.
public enum RampableControl: String, Sendable, Hashable, CaseIterable {
    /// Exposure time and gain.
    case exposure
    /// The colour of white.
    case whiteBalance = "white-balance"

    /// The same, as what a camera sets by itself.
    var lockable: LockableControl {
        switch self {
        case .exposure: .exposure
        case .whiteBalance: .whiteBalance
        }
    }
}
