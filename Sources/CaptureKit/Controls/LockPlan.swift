// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How to freeze one thing, decided from the controls as they are: what to set, in order. Nothing is set here.
struct LockPlan: Sendable, Hashable {
    /// A change of a mode, and the values that must hold afterwards.
    struct Step: Sendable, Hashable {
        /// From automatic to manual.
        let mode: ControlSetting
        /// Back to automatic.
        let restoring: ControlSetting
        /// The values that the automatic control had arrived at.
        let values: [ControlSetting]
    }

    /// The changes, in order.
    private(set) var steps: [Step] = []
    /// What holds still already.
    private(set) var held: [ControlSetting] = []
    /// What cannot be locked.
    private(set) var skipped: [ControlLock.Skipped] = []

    /// Plans to lock something with the controls that a camera has, and the values they have now.
    ///
    /// - Parameter usesDriversLock: Whether the one lock of drivers that have it will do.
    init(_ what: LockableControl, controls: [CameraControl], usesDriversLock: Bool = true) {
        let known = Dictionary(controls.map { ($0.id, $0) }) { first, _ in first }
        if usesDriversLock, let lock = known[.lock3A], lock.isWritable, lock.maximum & what.lockBit != 0,
            planLock(lock, what.lockBit)
        {
            return
        }
        let present = what.automatisms.filter { known[$0.mode] != nil }
        for automatism in present {
            if let mode = known[automatism.mode] { plan(automatism, mode, known) }
        }
        if present.isEmpty {
            skip(what.rawValue, "the camera has no automatic control of it")
        }
    }

    /// One bit freezes all of it, in drivers that have such a lock.
    private mutating func planLock(_ lock: CameraControl, _ bit: Int64) -> Bool {
        guard let now = lock.value?.integer else { return false }
        let locked = ControlSetting(lock, now | bit)
        if now & bit != 0 {
            held.append(locked)
        } else {
            steps.append(Step(mode: locked, restoring: ControlSetting(lock, now), values: []))
        }
        return true
    }

    private mutating func plan(_ automatism: Automatism, _ mode: CameraControl, _ known: [ControlID: CameraControl]) {
        let values = automatism.values.compactMap { known[$0] }
        guard let now = mode.value?.integer else { return skip(mode.name, "it cannot be read") }
        guard automatism.isOn(mode) else {
            held.append(ControlSetting(mode, now))
            held += values.compactMap { control in control.value.map { ControlSetting(control, $0) } }
            return
        }
        guard mode.isWritable, let manual = automatism.manualMode(of: mode) else {
            return skip(mode.name, "it has no manual mode")
        }
        let settings = values.compactMap { setting($0) }
        steps.append(
            Step(mode: ControlSetting(mode, manual), restoring: ControlSetting(mode, now), values: settings))
    }

    private mutating func setting(_ control: CameraControl) -> ControlSetting? {
        guard control.isWritable else { return nil }
        guard let value = control.value?.integer else {
            skip(control.name, "its value cannot be read")
            return nil
        }
        // What an automatic control arrives at may lie outside of what can be set.
        return ControlSetting(control, control.kind == .integerMenu ? value : control.stepped(value))
    }

    private mutating func skip(_ name: String, _ reason: String) {
        skipped.append(ControlLock.Skipped(name: name, reason: reason))
    }
}
