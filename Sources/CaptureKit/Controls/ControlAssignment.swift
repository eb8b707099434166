// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A camera control and the value it is to have, both as they were written.
///
/// Which controls there are, and what they take, only the camera knows: ``CameraControls`` reads them.
public struct ControlAssignment: Sendable, Hashable {
    /// The control's name, in v4l2-ctl's spelling: `exposure_time_absolute`.
    public let name: String
    /// Its value: a number, `50%`, `on`, an entry of its menu, or `default`.
    public let value: String

    /// Creates an assignment.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
