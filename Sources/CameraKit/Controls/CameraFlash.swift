// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The flash LED of a camera.
///
/// The calls block, as those of ``CameraControls`` do. The LED stays on until ``turnOff()``: call it in every case,
/// also after an error.
public struct CameraFlash: Sendable {
    private let driver: any ControlDriver
    private let plan: FlashPlan

    /// Finds the LED: on the camera's own node, or on the only sub-device of the machine that has one.
    ///
    /// - Parameters:
    ///   - mode: The requested use; not `FlashMode.off`.
    ///   - controls: The camera's controls.
    ///   - tree: The device tree that is searched for sub-devices.
    /// - Throws: `CaptureError` `.configuration` if there is no LED, if there are several, or if it does not support
    ///   the mode; the error of opening a sub-device if no LED was found, unless the mode is `FlashMode.auto`.
    public init(_ mode: FlashMode, _ controls: CameraControls, tree: DeviceTree = DeviceTree()) throws(CaptureError) {
        try self.init(mode, controls.driver, subdevices: tree.subdeviceNodes()) { path throws(CaptureError) in
            try V4L2Node(path: path)
        }
    }

    init(
        _ mode: FlashMode, _ camera: any ControlDriver, subdevices: [String],
        open: (String) throws(CaptureError) -> any ControlDriver
    ) throws(CaptureError) {
        if let plan = FlashPlan(mode, controls: try camera.controls()) {
            self.init(driver: camera, plan: plan)
            return
        }
        var (found, failure) = ([CameraFlash](), CaptureError?.none)
        for path in subdevices {
            do throws(CaptureError) {
                let subdevice = try open(path)
                guard let plan = FlashPlan(mode, controls: try subdevice.controls()) else { continue }
                found.append(CameraFlash(driver: subdevice, plan: plan))
            } catch {
                failure = failure ?? error
            }
        }
        // An automatic flash is not required, and the sub-device may be a sensor.
        if found.isEmpty, mode != .auto, let failure { throw failure }
        guard let only = found.first, found.count == 1 else { throw Self.unclear(mode, camera.path, found) }
        self = only
    }

    /// Uses any control of the camera as the light: a lamp on a GPIO, or the LED of a driver with private controls.
    ///
    /// - Parameter assignment: The control, and its value while the light is on; ``turnOff()`` restores the current
    ///   value.
    /// - Throws: `CaptureError` `.usage` for an unknown name or a wrong value; `.configuration` if the control cannot
    ///   be read.
    public init(_ assignment: ControlAssignment, _ controls: CameraControls) throws(CaptureError) {
        let control = try controls.control(named: assignment.name)
        let lit = try control.parse(assignment.value)
        guard let unlit = control.value else {
            throw CaptureError(
                .configuration, "\(control.name) cannot be read, so it could not be restored",
                subject: controls.driver.path,
                advice: "give another control with --flash-control")
        }
        self.init(driver: controls.driver, plan: FlashPlan(control, lit: lit, unlit: unlit))
    }

    private init(driver: any ControlDriver, plan: FlashPlan) {
        self.driver = driver
        self.plan = plan
    }

    private static func unclear(_ mode: FlashMode, _ camera: String, _ found: [CameraFlash]) -> CaptureError {
        let paths = found.map(\.driver.path).joined(separator: ", ")
        let message = found.isEmpty ? "has no flash LED for \(mode.rawValue)" : "has several flash LEDs: \(paths)"
        return CaptureError(
            .configuration, message, subject: camera,
            advice: "leave out --flash, or give the control of the light with --flash-control")
    }

    /// Turns the light on. Frames show it from about the next one on.
    ///
    /// - Throws: `CaptureError` if the driver refuses a setting; the light may be on then.
    public func light() throws(CaptureError) {
        for setting in plan.lighting { try driver.set(setting, kind: plan.kind) }
    }

    /// Turns the light off. Tries every setting, even after an error.
    ///
    /// - Throws: The first `CaptureError` that occurred.
    public func turnOff() throws(CaptureError) {
        var failure: CaptureError?
        for setting in plan.turningOff {
            do throws(CaptureError) {
                try driver.set(setting, kind: plan.kind)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }
}

/// Decides for each picture whether the automatic flash fires, by the mean luma of the frame before it.
///
/// The flash fires below ``dark``, and then until the frame reaches ``bright``: in a series whose light hovers
/// there, it does not alternate. The frame is one without the flash, so the flash has no influence on the next
/// decision. Pure.
package struct FlashDecision: Sendable {
    /// The flash fires below this mean luma, 0 black to 1 white.
    static let dark = 0.20
    /// A flash that fired for the picture before stops firing at this mean luma.
    static let bright = 0.30

    private var isDark = false

    package init() {}

    /// Returns `true` if the flash fires for the next picture.
    ///
    /// - Parameter brightness: The mean luma; `nil` if it cannot be measured, which leaves the decision unchanged.
    package mutating func fires(at brightness: Double?) -> Bool {
        guard let brightness else { return isDark }
        isDark = brightness < (isDark ? Self.bright : Self.dark)
        return isDark
    }
}
