// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension CameraControls {
    /// Freezes exposure time and gain at their current values.
    public func lockExposure() throws(CaptureError) -> ControlLock { try lock([.exposure]) }

    /// Freezes white balance at its current value.
    public func lockWhiteBalance() throws(CaptureError) -> ControlLock { try lock([.whiteBalance]) }

    /// Freezes properties at their current values: switches each control to manual, and sets the value that the
    /// automatic control has chosen.
    ///
    /// Wait until the picture is steady before locking. A property without an automatic control, and a control that the
    /// driver refuses to set, stay as they are: ``ControlLock/skipped`` has them. Some USB cameras do not report the
    /// exposure time that the automatic control has chosen, and return to the last manual one.
    ///
    /// - Throws: `CaptureError` `.noCamera` if the camera was disconnected. The controls that were locked before that
    ///   are restored if the driver accepts it.
    public func lock(_ properties: Set<LockableControl>) throws(CaptureError) -> ControlLock {
        try locking { (lock) throws(CaptureError) in
            for property in LockableControl.allCases where properties.contains(property) {
                let controls = try driver.controls()
                try apply(LockPlan(property, controls: controls), controls, to: &lock)
            }
        }
    }

    /// Sets the values of a lock again, because a camera forgets them when it is unplugged. Tries every value, even
    /// after a refusal.
    ///
    /// - Returns: The controls that the camera refuses to set, with the reason.
    /// - Throws: ``CaptureError`` `.noCamera` if the camera was disconnected.
    package func repeatLock(_ lock: ControlLock) throws(CaptureError) -> [ControlLock.Skipped] {
        let kinds = Dictionary(try driver.controls().map { ($0.id, $0.kind) }) { first, _ in first }
        var refused: [ControlLock.Skipped] = []
        for setting in lock.locked {
            do throws(CaptureError) {
                try driver.set(setting, kind: kinds[setting.id] ?? .integer)
            } catch {
                guard error.code != .noCamera else { throw error }
                refused.append(ControlLock.Skipped(name: setting.name, reason: error.message))
            }
        }
        return refused
    }

    /// Undoes a lock, so that the camera controls the properties again. Tries every setting, even after an error.
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

    /// Returns the lock that `body` fills. If `body` throws, undoes the lock, because the caller gets none to restore.
    /// Ignores errors of the driver meanwhile.
    func locking(_ body: (inout ControlLock) throws(CaptureError) -> Void) throws(CaptureError) -> ControlLock {
        var lock = ControlLock()
        do throws(CaptureError) {
            try body(&lock)
        } catch {
            try? restore(lock)
            throw error
        }
        return lock
    }

    /// Sets the controls of a plan, and adds the locked and the refused ones to a lock.
    ///
    /// - Throws: ``CaptureError`` `.noCamera` if the camera was disconnected. A capture repeats its first lock when the
    ///   camera returns: with an empty one, the camera would stay automatic.
    func apply(_ plan: LockPlan, _ controls: [CameraControl], to lock: inout ControlLock) throws(CaptureError) {
        let kinds = Dictionary(controls.map { ($0.id, $0.kind) }) { first, _ in first }
        lock.locked += plan.held
        lock.skipped += plan.skipped
        for step in plan.steps where try set(step.mode, kinds, in: &lock) {
            lock.restoring.insert(step.restoring, at: 0)
            for value in step.values { _ = try set(value, kinds, in: &lock) }
        }
    }

    /// Sets a control, and adds it to the locked ones, or to the skipped ones if the driver refuses.
    ///
    /// - Returns: `true` if the control is set.
    private func set(
        _ setting: ControlSetting, _ kinds: [ControlID: CameraControl.Kind], in lock: inout ControlLock
    ) throws(CaptureError) -> Bool {
        do throws(CaptureError) {
            try driver.set(setting, kind: kinds[setting.id] ?? .integer)
            lock.locked.append(setting)
            return true
        } catch {
            guard error.code != .noCamera else { throw error }
            lock.skip(setting.name, error.message)
            return false
        }
    }
}
