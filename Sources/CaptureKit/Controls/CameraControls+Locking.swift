// Part of gst-capture. Apache License 2.0, see LICENSE.

extension CameraControls {
    /// Freezes exposure time and gain at what they are now.
    public func lockExposure() throws(CaptureError) -> ControlLock { try lock([.exposure]) }

    /// Freezes white balance at what it is now.
    public func lockWhiteBalance() throws(CaptureError) -> ControlLock { try lock([.whiteBalance]) }

    /// Freezes things at what they are now: switches each to manual, and sets what automatic had arrived at.
    ///
    /// Wait until the picture is steady before. What the camera has no control for stays as it is, and is said in
    /// ``ControlLock/skipped``. Some USB cameras do not tell the exposure time that automatic has arrived at; they
    /// jump to the last manual one.
    ///
    /// - Throws: ``CaptureError`` where the camera went away.
    public func lock(_ things: Set<LockableControl>) throws(CaptureError) -> ControlLock {
        var lock = ControlLock()
        for thing in LockableControl.allCases where things.contains(thing) {
            let controls = try driver.controls()
            lock.append(apply(LockPlan(thing, controls: controls), controls))
        }
        return lock
    }

    /// Freezes the same things at the same values again, as a camera that was unplugged forgets them.
    ///
    /// - Throws: ``CaptureError`` where the camera went away, or refuses a value.
    func repeatLock(_ lock: ControlLock) throws(CaptureError) {
        let kinds = Dictionary(try driver.controls().map { ($0.id, $0.kind) }) { first, _ in first }
        for setting in lock.locked { try driver.set(setting, kind: kinds[setting.id] ?? .integer) }
    }

    /// Gives back to the camera what a lock had frozen. All are tried, whatever happens to one.
    ///
    /// - Throws: The first ``CaptureError``.
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

    /// Carries out a plan, as far as the driver lets it.
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
