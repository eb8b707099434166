// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Which side of a device a camera looks from. Which camera plays which role, whoever runs the session says.
public enum CameraRole: String, Sendable, Hashable, CaseIterable {
    /// It looks at whoever looks at the screen.
    case front
    /// It looks away from the screen.
    case back

    /// The role on the other side.
    public var other: CameraRole { self == .front ? .back : .front }
}
