// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A plan to freeze one ``LockableControl``: the settings and their order, derived from the current controls. A plan
/// changes nothing itself.
struct LockPlan: Sendable, Hashable {
    /// A change of a mode, and the values that must hold afterward.
    struct Step: Sendable, Hashable {
        /// The setting that switches from automatic to manual.
        let mode: ControlSetting
        /// The setting that switches back to automatic.
        let restoring: ControlSetting
        /// The values at which the automatic control had arrived.
        let values: [ControlSetting]
    }

    /// The changes of modes, in order.
    private(set) var steps: [Step] = []
    /// The controls that are already manual or locked, and can be set.
    private(set) var held: [ControlSetting] = []
    /// The controls that cannot be locked.
    private(set) var skipped: [ControlLock.Skipped] = []

    /// Plans a lock with a camera's controls and their current values.
    ///
    /// - Parameter usesDriversLock: `true` to use the driver's own lock (`V4L2_CID_3A_LOCK`) if it has one.
    init(_ property: LockableControl, controls: [CameraControl], usesDriversLock: Bool = true) {
        let known = Dictionary(controls.map { ($0.id, $0) }) { first, _ in first }
        if usesDriversLock, let lock = known[.lock3A], lock.isWritable, lock.maximum & property.lockBit != 0,
            planLock(lock, property.lockBit)
        {
            return
        }
        let present = property.automaticControls.filter { known[$0.mode] != nil }
        for automatic in present {
            if let mode = known[automatic.mode] { plan(automatic, mode, known) }
        }
        if present.isEmpty {
            skip(property.rawValue, "the camera has no automatic control for it")
        }
    }

    /// Plans the driver's own lock, in which one bit freezes the whole property. Returns `false` if the lock's value
    /// cannot be read.
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

    private mutating func plan(
        _ automatic: AutomaticControl, _ mode: CameraControl, _ known: [ControlID: CameraControl]
    ) {
        let values = automatic.values.compactMap { known[$0] }
        guard let now = mode.value?.integer else { return skip(mode.name, "it cannot be read") }
        guard automatic.isOn(mode) else {
            for control in [mode] + values { hold(control) }
            return
        }
        guard mode.isWritable, let manual = automatic.manualMode(of: mode) else {
            return skip(mode.name, "it has no manual mode")
        }
        let settings = values.compactMap { setting($0) }
        steps.append(
            Step(mode: ControlSetting(mode, manual), restoring: ControlSetting(mode, now), values: settings))
    }

    /// Holds a control that is manual already. A read-only value stays as it is without being set. An inactive one is
    /// refused: uvcvideo sets the exposure time in the manual mode only, and not with an automatic iris.
    private mutating func hold(_ control: CameraControl) {
        guard control.isWritable, let value = control.value else { return }
        guard !control.flags.contains(.inactive) else { return skip(control.name, "the current mode does not use it") }
        held.append(ControlSetting(control, value))
    }

    private mutating func setting(_ control: CameraControl) -> ControlSetting? {
        guard control.isWritable else { return nil }
        guard let value = control.value?.integer else {
            skip(control.name, "its value cannot be read")
            return nil
        }
        // An automatic control may arrive at a value outside of the settable range.
        return ControlSetting(control, control.kind == .integerMenu ? value : control.stepped(value))
    }

    private mutating func skip(_ name: String, _ reason: String) {
        skipped.append(ControlLock.Skipped(name: name, reason: reason))
    }
}
