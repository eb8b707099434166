// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The flash LED of a camera, ready to be lit.
///
/// Its calls block, as those of ``CameraControls`` do. It does not put itself out: call ``douse()`` whatever happens.
public struct CameraFlash: Sendable {
    private let driver: any ControlDriver
    private let plan: FlashPlan

    /// Finds the LED: on the camera's own node, or on the one sub-device of the machine that has one.
    ///
    /// - Parameters:
    ///   - mode: How it is to be used; not ``FlashMode/off``.
    ///   - controls: The camera's.
    ///   - tree: Where sub-devices are looked for.
    /// - Throws: ``CaptureError`` `.configuration` where there is none, where it is not clear which, or where it cannot
    ///   do this; what keeps a sub-device from being opened.
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
        if found.isEmpty, let failure { throw failure }
        guard let only = found.first, found.count == 1 else { throw Self.unclear(mode, camera.path, found) }
        self = only
    }

    /// Takes any control of the camera for the light: a lamp on a GPIO, or the LED of a driver with private controls.
    ///
    /// - Parameter assignment: The control, and its value while the light is on; it gets its present value back.
    /// - Throws: ``CaptureError`` `.usage` for an unknown name or a wrong value; `.configuration` if the control cannot be
    ///   read.
    public init(_ assignment: ControlAssignment, _ controls: CameraControls) throws(CaptureError) {
        let control = try controls.control(named: assignment.name)
        let lit = try control.parse(assignment.value)
        guard let unlit = control.value else {
            throw CaptureError(
                .configuration, "\(control.name) cannot be read, so it cannot be put back",
                subject: controls.driver.path,
                advice: "name another control with --flash-control")
        }
        self.init(driver: controls.driver, plan: FlashPlan(control, lit: lit, unlit: unlit))
    }

    private init(driver: any ControlDriver, plan: FlashPlan) {
        self.driver = driver
        self.plan = plan
    }

    private static func unclear(_ mode: FlashMode, _ camera: String, _ found: [CameraFlash]) -> CaptureError {
        let paths = found.map(\.driver.path).joined(separator: ", ")
        let message = found.isEmpty ? "has no flash LED that does \(mode.rawValue)" : "has several flash LEDs: \(paths)"
        return CaptureError(
            .configuration, message, subject: camera,
            advice: "leave out --flash, or name the control of the light with --flash-control")
    }

    /// Sets it alight. Frames show it from about the next one on.
    public func light() throws(CaptureError) {
        for setting in plan.lighting { try driver.set(setting, kind: plan.kind) }
    }

    /// Puts it out. All is tried, whatever happens to one.
    ///
    /// - Throws: The first ``CaptureError``.
    public func douse() throws(CaptureError) {
        var failure: CaptureError?
        for setting in plan.dousing {
            do throws(CaptureError) {
                try driver.set(setting, kind: plan.kind)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }
}
