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
    /// Why a single property is not ramped, for messages; `nil` if it is.
    package private(set) var obstacle: String?

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

extension HeldControls {
    /// Creates a notice for each control that the user wants to set, lock or ramp on a source without controls; `nil`
    /// if there is none.
    package init?(
        withoutControls assignments: [ControlAssignment], _ locks: Set<LockableControl>, _ ramps: Set<RampableControl>
    ) {
        let reason = "the source has no controls"
        notices = assignments.map { Notice(.controlNotSet, about: $0.name, "\($0.name) is not set: \(reason)") }
        for property in LockableControl.allCases where locks.contains(property) {
            let name = property.rawValue
            notices.append(Notice(.controlNotLocked, about: name, "not locked: \(name): \(reason)"))
        }
        for property in RampableControl.allCases where ramps.contains(property) { add(.notRamped(property, reason)) }
        if notices.isEmpty { return nil }
    }

    static func notRamped(_ property: RampableControl, _ reason: String) -> HeldControls {
        let name = property.rawValue
        var held = HeldControls(
            notices: [Notice(.controlNotRamped, about: name, "\(name) is not ramped: \(reason)")])
        held.obstacle = reason
        return held
    }
}
