// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension CameraControls {
    /// Takes something over from the camera's automatic, to ramp it from where that had arrived at.
    ///
    /// What cannot be ramped is left as it is, and said in ``HeldControls/notices``.
    ///
    /// - Parameter light: How the picture is now; `nil` where it cannot be measured.
    /// - Throws: ``CaptureError`` where the camera went away.
    func beginRamp(
        _ thing: RampableControl, _ light: LightReading?, _ limits: RampLimits, frameDuration: Duration
    ) throws(CaptureError) -> HeldControls {
        guard let light else { return .notRamped(thing, "the light of its frames cannot be measured") }
        let before = try driver.controls()
        // A lock of the driver would keep us out, too.
        var lock = apply(LockPlan(thing.lockable, controls: before, usesDriversLock: false), before)
        guard
            let ramp = ControlRamp(thing, try driver.controls(), light, limits, frameDuration: frameDuration)
        else {
            try restore(lock)
            return .notRamped(thing, lock.skipped.first?.reason ?? "the camera has no control of it")
        }
        lock.skipped = []
        lock.hold(ramp.settings)
        lock.restore(ramp.settings, from: before)
        return HeldControls(lock: lock, ramp: ramp)
    }

    /// Sets what a ramp changes.
    ///
    /// - Throws: ``CaptureError`` where the camera went away, or refuses a value.
    func carryOut(_ changes: [ControlSetting]) throws(CaptureError) {
        for change in changes { try driver.set(change, kind: .integer) }
    }
}

extension HeldControls {
    /// Says what a source that has no controls cannot do; `nil` where nothing is asked for.
    init?(withoutControls ramps: Set<RampableControl>) {
        if ramps.isEmpty { return nil }
        for thing in RampableControl.allCases where ramps.contains(thing) {
            add(.notRamped(thing, "the source has no controls"))
        }
    }

    fileprivate static func notRamped(_ thing: RampableControl, _ reason: String) -> HeldControls {
        HeldControls(notices: ["\(thing.rawValue) is not ramped: \(reason)"])
    }
}

extension ControlLock {
    /// Puts back, at the end, the values that were not an automatic's when it began.
    fileprivate mutating func restore(_ settings: [ControlSetting], from controls: [CameraControl]) {
        let known = Dictionary(controls.map { ($0.id, $0) }) { first, _ in first }
        let ruled = Automatism.all.filter { known[$0.mode].map($0.isOn) ?? false }.flatMap(\.values)
        for setting in settings where !ruled.contains(setting.id) {
            guard let control = known[setting.id], let value = control.value else { continue }
            restoring.insert(ControlSetting(control, value), at: 0)
        }
    }
}
