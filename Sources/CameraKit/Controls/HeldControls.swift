// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FrameMeasures

/// The controls that a capture holds: it sets them again when the camera returns, and restores them at the end.
package struct HeldControls: Sendable, Hashable {
    /// The frozen controls, including ramped ones at their current values.
    package var lock = ControlLock()
    /// The ramps that follow the light.
    package var ramp = ControlRamp()
    /// The notices of controls that cannot be frozen or ramped.
    package var notices: [Notice] = []

    package init(
        lock: ControlLock = ControlLock(), ramp: ControlRamp = ControlRamp(), notices: [Notice] = []
    ) {
        self.lock = lock
        self.ramp = ramp
        self.notices = notices
    }

    /// Adds further held controls.
    package mutating func add(_ later: HeldControls) {
        lock.append(later.lock)
        ramp.add(later.ramp)
        notices += later.notices
    }

    /// Follows the light of a picture. Returns the changes for the next picture.
    package mutating func follow(_ light: LightReading) -> [ControlSetting] {
        let changes = ramp.follow(light)
        lock.hold(changes)
        return changes
    }
}
