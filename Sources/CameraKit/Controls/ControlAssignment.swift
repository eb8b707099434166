// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The name of a camera control and the value to set, both as the user wrote them.
///
/// Only the camera knows its controls and their values: ``CameraControls`` parses an assignment.
public struct ControlAssignment: Sendable, Hashable {
    /// The control's name, in v4l2-ctl's spelling: `exposure_time_absolute`.
    public let name: String
    /// The value: a number, `50%`, `on`, a menu entry, or `default`.
    public let value: String

    /// Creates an assignment.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
