// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The locked controls, those that could not be locked, and the settings that undo the lock.
public struct ControlLock: Sendable, Hashable {
    /// A control that was left as it is.
    public struct Skipped: Sendable, Hashable {
        /// The name of the control, or of the ``LockableControl``.
        public let name: String
        /// The reason, for messages.
        public let reason: String

        package init(name: String, reason: String) { (self.name, self.reason) = (name, reason) }
    }

    /// The locked controls with their values, including those that were manual before.
    public internal(set) var locked: [ControlSetting] = []
    /// The controls that are not locked, with the reason.
    public internal(set) var skipped: [Skipped] = []
    /// The settings that undo the lock, in order: the automatic modes, and the initial values of ramped controls that
    /// were manual.
    var restoring: [ControlSetting] = []

    /// `true` if nothing is locked.
    public var isEmpty: Bool { locked.isEmpty }

    /// Adds a later lock. It is undone first.
    mutating func append(_ later: ControlLock) {
        locked += later.locked
        skipped += later.skipped
        restoring = later.restoring + restoring
    }

    /// Records the new values of controls.
    mutating func hold(_ settings: [ControlSetting]) {
        for setting in settings {
            if let index = locked.firstIndex(where: { $0.id == setting.id }) {
                locked[index] = setting
            } else {
                locked.append(setting)
            }
        }
    }

    mutating func skip(_ name: String, _ reason: String) {
        skipped.append(Skipped(name: name, reason: reason))
    }
}

extension ControlLock.Skipped: CustomStringConvertible {
    /// The name and the reason: `focus: the camera has no automatic control for it`.
    public var description: String { "\(name): \(reason)" }
}
