// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The controls that a capture holds in its hand: they are put so again when the camera comes back, and given back at the
/// end.
struct HeldControls: Sendable, Hashable {
    /// What is frozen, ramps at where they are.
    var lock = ControlLock()
    /// What follows the light.
    var ramp = ControlRamp()
    /// What cannot be frozen or ramped, in words.
    var notices: [String] = []

    /// Adds what else is held.
    mutating func add(_ later: HeldControls) {
        lock.append(later.lock)
        ramp.add(later.ramp)
        notices += later.notices
    }

    /// Takes in the light of a picture; answers what to change for the next.
    mutating func follow(_ light: LightReading) -> [ControlSetting] {
        let changes = ramp.follow(light)
        lock.hold(changes)
        return changes
    }
}
