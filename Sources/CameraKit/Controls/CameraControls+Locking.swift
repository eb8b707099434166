// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension CameraControls {
    /// Freezes exposure time and gain at their current values.
    public func lockExposure() throws(CaptureError) -> ControlLock { try lock([.exposure]) }

    /// Freezes white balance at its current value.
    public func lockWhiteBalance() throws(CaptureError) -> ControlLock { try lock([.whiteBalance]) }

    /// Freezes controls at their current values: switches each to manual, and sets the value at which the automatic
    /// control had arrived.
    ///
    /// Wait until the picture is steady before locking. If the camera has no control for something, that stays as it
    /// is, and ``ControlLock/skipped`` reports it. Some USB cameras do not report the exposure time at which the
    /// automatic control has arrived; they jump to the last manual one.
    ///
    /// - Throws: `CaptureError` if the camera was disconnected.
    public func lock(_ things: Set<LockableControl>) throws(CaptureError) -> ControlLock {
        var lock = ControlLock()
        for thing in LockableControl.allCases where things.contains(thing) {
            let controls = try driver.controls()
            lock.append(apply(LockPlan(thing, controls: controls), controls))
        }
        return lock
    }

    /// Sets the values of a lock again, because a camera forgets them when it is unplugged.
    ///
    /// - Throws: ``CaptureError`` if the camera was disconnected, or refuses a value.
    package func repeatLock(_ lock: ControlLock) throws(CaptureError) {
        let kinds = Dictionary(try driver.controls().map { ($0.id, $0.kind) }) { first, _ in first }
        for setting in lock.locked { try driver.set(setting, kind: kinds[setting.id] ?? .integer) }
    }

    /// Returns control to the camera: undoes a lock. Tries every setting, even after an error.
    ///
    /// - Throws: The first `CaptureError` that occurred.
    public func restore(_ lock: ControlLock) throws(CaptureError) {
        var failure: CaptureError?
        for setting in lock.restoring {
            do throws(CaptureError) {
                try driver.set(setting, kind: .integer)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Carries out a plan, as far as the driver permits.
    func apply(_ plan: LockPlan, _ controls: [CameraControl]) -> ControlLock {
        var lock = ControlLock(locked: plan.held, skipped: plan.skipped)
        let kinds = Dictionary(controls.map { ($0.id, $0.kind) }) { first, _ in first }
        func isSet(_ setting: ControlSetting) -> Bool {
            do throws(CaptureError) {
                try driver.set(setting, kind: kinds[setting.id] ?? .integer)
                lock.locked.append(setting)
                return true
            } catch {
                lock.skip(setting.name, error.message)
                return false
            }
        }
        for step in plan.steps where isSet(step.mode) {
            lock.restoring.insert(step.restoring, at: 0)
            for value in step.values { _ = isSet(value) }
        }
        return lock
    }
}
