// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What ``CameraControls`` needs of a device, so that it also works on one that is made up.
protocol ControlDriver: Sendable {
    /// The device in words, for messages.
    var path: String { get }
    /// All controls with their values.
    func controls() throws(CaptureError) -> [CameraControl]
    /// One control as it is now; `nil` where the device has it not.
    func control(_ id: ControlID) -> CameraControl?
    /// Sets one.
    func set(_ setting: ControlSetting, kind: CameraControl.Kind) throws(CaptureError)
}

extension V4L2Node: ControlDriver {}

/// A camera without controls.
struct NoControls: ControlDriver {
    let path: String
    func controls() -> [CameraControl] { [] }
    func control(_ id: ControlID) -> CameraControl? { nil }
    func set(_ setting: ControlSetting, kind: CameraControl.Kind) throws(CaptureError) {
        throw CaptureError(.usage, "has no controls", subject: path)
    }
}
