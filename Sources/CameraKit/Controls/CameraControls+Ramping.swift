// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FrameMeasures

extension CameraControls {
    /// Turns off the automatic control of a property, to ramp the property from its current value.
    ///
    /// If the property cannot be ramped, it stays as it is, and ``HeldControls/notices`` says why.
    ///
    /// - Parameter light: The current light of the picture; `nil` if it cannot be measured.
    /// - Throws: ``CaptureError`` if the camera was disconnected, or if the control cannot be restored. The automatic
    ///   control is on again then if the driver accepts it.
    package func beginRamp(
        _ property: RampableControl, _ light: LightReading?, _ limits: RampLimits, frameDuration: Duration
    ) throws(CaptureError) -> HeldControls {
        guard let light else { return .notRamped(property, "the brightness of its frames cannot be measured") }
        guard property != .whiteBalance || light.redToBlue != nil else {
            return .notRamped(property, "the color of its frames cannot be measured")
        }
        let before = try driver.controls()
        var after: [CameraControl] = []
        var lock = try locking { (lock) throws(CaptureError) in
            // The driver's own lock would also block the ramp.
            try apply(LockPlan(property.lockable, controls: before, usesDriversLock: false), before, to: &lock)
            after = try driver.controls()
        }
        guard let ramp = ControlRamp(property, after, light, limits, frameDuration: frameDuration) else {
            try restore(lock)
            return .notRamped(property, lock.skipped.first?.reason ?? "the camera has no control for it")
        }
        lock.skipped = []
        lock.hold(ramp.settings)
        lock.restore(ramp.settings, from: before)
        return HeldControls(lock: lock, ramp: ramp)
    }

    /// Sets the controls that a ramp changes.
    ///
    /// - Throws: ``CaptureError`` if the camera was disconnected, or refuses a value.
    package func carryOut(_ changes: [ControlSetting]) throws(CaptureError) {
        for change in changes { try driver.set(change, kind: .integer) }
    }
}

extension ControlLock {
    /// Adds the initial values of controls that were manual, so that they are restored at the end.
    fileprivate mutating func restore(_ settings: [ControlSetting], from controls: [CameraControl]) {
        let known = Dictionary(controls.map { ($0.id, $0) }) { first, _ in first }
        let ruled = AutomaticControl.all.filter { known[$0.mode].map($0.isOn) ?? false }.flatMap(\.values)
        for setting in settings where !ruled.contains(setting.id) {
            guard let control = known[setting.id], let value = control.value else { continue }
            restoring.insert(ControlSetting(control, value), at: 0)
        }
    }
}
