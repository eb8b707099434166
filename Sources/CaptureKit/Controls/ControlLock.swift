// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What was frozen, what could not be, and how to undo it.
public struct ControlLock: Sendable, Hashable {
    /// Something that was left as it is.
    public struct Skipped: Sendable, Hashable {
        /// The control, or what was to be locked.
        public let name: String
        /// Why, in words.
        public let reason: String
    }

    /// The controls that hold still now, with their values; also those that did before.
    public internal(set) var locked: [ControlSetting] = []
    /// What is not locked, and why.
    public internal(set) var skipped: [Skipped] = []
    /// What turns the automatic controls on again, in this order.
    var restoring: [ControlSetting] = []

    /// True where nothing holds still.
    public var isEmpty: Bool { locked.isEmpty }

    /// Adds a later lock, which is undone first.
    mutating func append(_ later: ControlLock) {
        locked += later.locked
        skipped += later.skipped
        restoring = later.restoring + restoring
    }

    /// Notes the values that controls have from now on.
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
    /// `focus: the camera has no automatic control of it`.
    public var description: String { "\(name): \(reason)" }
}
