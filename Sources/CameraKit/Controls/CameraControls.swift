// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The controls of a camera's driver, such as brightness, exposure and white balance.
///
/// They can be read and set while another part of the program, or another program, streams from the camera. The calls
/// block; USB cameras need some milliseconds for each control. Call them on a separate thread or executor.
public struct CameraControls: Sendable {
    let driver: any ControlDriver

    /// Opens a camera's controls. Cameras of libcamera and the scene have no controls here.
    ///
    /// - Throws: `CaptureError` `.permission`, `.temporary`, `.noCamera` or `.inputOutput`.
    public init(_ camera: Camera) throws(CaptureError) {
        if camera.kind == .v4l2, let path = camera.path {
            try self.init(path: path)
        } else {
            self.init(driver: NoControls(path: camera.id))
        }
    }

    /// Opens the controls of a device node.
    ///
    /// - Throws: The errors of ``init(_:)``.
    public init(path: String) throws(CaptureError) {
        self.init(driver: try V4L2Node(path: path))
    }

    init(driver: any ControlDriver) {
        self.driver = driver
    }

    /// Returns all controls, in the driver's order, with their values (`VIDIOC_QUERY_EXT_CTRL`, `VIDIOC_G_EXT_CTRLS`).
    ///
    /// - Throws: `CaptureError` `.noCamera` if the camera was disconnected.
    public func list() throws(CaptureError) -> [CameraControl] {
        try driver.controls()
    }

    /// Returns a control by its name, with its current value.
    ///
    /// - Parameter name: The name in v4l2-ctl's spelling, also that of other kernel versions; the driver's title; or
    ///   the number, such as `0x00980900`.
    /// - Throws: `CaptureError` `.usage` that suggests the nearest name if there is no such control.
    public func control(named name: String) throws(CaptureError) -> CameraControl {
        try ControlName.find(name, in: driver.controls(), of: driver.path)
    }

    /// Sets a control from text that ``CameraControl/parse(_:)`` parses (`VIDIOC_S_EXT_CTRLS`).
    ///
    /// - Returns: The control after the change; drivers round values.
    /// - Throws: `CaptureError` `.usage` for an unknown name, a wrong value, or a control that cannot be set or has
    ///   no effect now; `.temporary` if another operation holds the control.
    @discardableResult
    public func set(_ name: String, to text: String) throws(CaptureError) -> CameraControl {
        let controls = try driver.controls()
        let control = try ControlName.find(name, in: controls, of: driver.path)
        let value = try control.parse(text)
        try checkEffect(of: control, among: controls)
        try driver.set(ControlSetting(control, value), kind: control.kind)
        return driver.control(control.id) ?? control
    }

    /// Sets several controls. It sets modes that other controls depend on first, so the order does not matter.
    ///
    /// - Throws: The errors of ``set(_:to:)``. All names and values are checked before the first control is set; other
    ///   errors, such as a control without effect, leave the controls before it set.
    public func set(_ settings: [ControlAssignment]) throws(CaptureError) {
        let controls = try driver.controls()
        var known: [(control: CameraControl, value: ControlValue)] = []
        for setting in settings {
            let control = try ControlName.find(setting.name, in: controls, of: driver.path)
            known.append((control, try control.parse(setting.value)))
        }
        let (ruling, others) = (known.filter { $0.control.isRuling }, known.filter { !$0.control.isRuling })
        for (control, value) in ruling + others {
            try checkEffect(of: driver.control(control.id) ?? control, among: driver.controls())
            try driver.set(ControlSetting(control, value), kind: control.kind)
        }
    }

    private func checkEffect(of control: CameraControl, among controls: [CameraControl]) throws(CaptureError) {
        if control.flags.contains(.grabbed) {
            throw CaptureError(.temporary, "\(control.name) is locked while the camera streams", subject: driver.path)
        }
        guard control.flags.contains(.inactive) else { return }
        let modes = AutomaticControl.all.filter { $0.values.contains(control.id) }.map(\.mode)
        let ruler = controls.first { modes.contains($0.id) }
        throw CaptureError(
            .usage, "\(control.name) has no effect now", subject: driver.path,
            advice: ruler.map { "set \($0.name) to manual or off first" } ?? "turn off the automatic control first")
    }
}

extension CameraControl {
    fileprivate var isRuling: Bool {
        flags.contains(.update) || AutomaticControl.all.contains { $0.mode == id }
    }
}

extension CameraControl {
    /// Returns the control with a name, as ``CameraControls/control(named:)`` does, among controls that a service has
    /// listed.
    package static func named(
        _ name: String, among controls: [CameraControl], of subject: String
    ) throws(CaptureError) -> CameraControl { try ControlName.find(name, in: controls, of: subject) }
}
