// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A device with controls, for ``CameraControls``: a V4L2 node, or a simulated device.
package protocol ControlDriver: Sendable {
    /// The device's name, for messages.
    var path: String { get }
    /// Returns all controls with their values. Throws if the device was disconnected.
    func controls() throws(CaptureError) -> [CameraControl]
    /// Returns a control with its current value; `nil` if the device lacks it or was disconnected.
    func control(_ id: ControlID) -> CameraControl?
    /// Sets a control. Throws `.noCamera` if the device was disconnected, and other codes if the driver refuses.
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
