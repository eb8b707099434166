// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FrameMeasures

extension CameraControls {
    /// Takes a control over from the camera's automatic control, to ramp it from its current value.
    ///
    /// If it cannot be ramped, it stays as it is, and ``HeldControls/notices`` reports it.
    ///
    /// - Parameter light: The current light of the picture; `nil` if it cannot be measured.
    /// - Throws: ``CaptureError`` if the camera was disconnected. The control is left to the camera then, as far as the
    ///   driver permits.
    package func beginRamp(
        _ thing: RampableControl, _ light: LightReading?, _ limits: RampLimits, frameDuration: Duration
    ) throws(CaptureError) -> HeldControls {
        guard let light else { return .notRamped(thing, "the brightness of its frames cannot be measured") }
        guard thing != .whiteBalance || light.redToBlue != nil else {
            return .notRamped(thing, "the color of its frames cannot be measured")
        }
        let before = try driver.controls()
        var after: [CameraControl] = []
        var lock = try locking { (lock) throws(CaptureError) in
            // The driver's own lock would also block the ramp.
            try apply(LockPlan(thing.lockable, controls: before, usesDriversLock: false), before, to: &lock)
            after = try driver.controls()
        }
        guard let ramp = ControlRamp(thing, after, light, limits, frameDuration: frameDuration) else {
            try restore(lock)
            return .notRamped(thing, lock.skipped.first?.reason ?? "the camera has no control for it")
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
    /// Adds the initial values of controls that were not ruled by an automatic control, so that they are restored at
    /// the end.
    fileprivate mutating func restore(_ settings: [ControlSetting], from controls: [CameraControl]) {
        let known = Dictionary(controls.map { ($0.id, $0) }) { first, _ in first }
        let ruled = Automatism.all.filter { known[$0.mode].map($0.isOn) ?? false }.flatMap(\.values)
        for setting in settings where !ruled.contains(setting.id) {
            guard let control = known[setting.id], let value = control.value else { continue }
            restoring.insert(ControlSetting(control, value), at: 0)
        }
    }
}
