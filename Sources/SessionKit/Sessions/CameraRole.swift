// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The side of a device that a camera looks from. The caller that runs the session assigns cameras to roles.
public enum CameraRole: String, Sendable, Hashable, CaseIterable {
    /// The camera faces the viewer of the screen.
    case front
    /// The camera faces away from the screen.
    case back

    /// The role on the other side.
    public var other: CameraRole { self == .front ? .back : .front }
}
