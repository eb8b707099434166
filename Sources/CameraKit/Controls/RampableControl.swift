// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A property that can follow the light from picture to picture, in steps so small that a film of them does not
/// flicker.
public enum RampableControl: String, Sendable, Hashable, CaseIterable {
    /// Exposure time and gain.
    case exposure
    /// The white balance.
    case whiteBalance = "white-balance"

    /// The same property as a ``LockableControl``.
    package var lockable: LockableControl {
        switch self {
        case .exposure: .exposure
        case .whiteBalance: .whiteBalance
        }
    }
}
