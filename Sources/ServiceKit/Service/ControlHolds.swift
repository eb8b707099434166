// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import FrameMeasures
import PipelineKit

/// The controls of a camera that requests hold: frozen ones, and ramped ones, which follow the light from picture to
/// picture. A property is frozen or ramped, not both: the later request counts.
///
/// The functions change the controls of the driver, so they block. The caller gives ``settings`` to the camera again when
/// it comes back.
struct ControlHolds: Sendable {
    /// A frozen property.
    private struct Frozen: Sendable {
        let kind: LockableControl
        let lock: ControlLock
    }

    /// The frozen properties in the order in which they were frozen: they are released in the opposite one, since a
    /// driver can have one control for several of them.
    private var frozen: [Frozen] = []
    /// The ramped properties, each with its controls; without any before the ramp has begun with a picture.
    private var ramps: [RampableControl: HeldControls] = [:]
    /// When a ramp last changed a control. The light of a picture depends on all of them.
    private var lastChange: ClockTime?

    /// The held controls with their values.
    var settings: [ControlSetting] {
        frozen.flatMap(\.lock.locked) + ordered.flatMap { ramps[$0]?.lock.locked ?? [] }
    }

    /// The properties that are ramped, or will be from the next picture on.
    var ramped: [RampableControl] { ordered.filter { ramps[$0]?.obstacle == nil } }

    /// The controls that could not be frozen or ramped, with the reason.
    var skipped: [ControlLock.Skipped] {
        frozen.flatMap(\.lock.skipped)
            + ordered.compactMap { kind in
                ramps[kind]?.obstacle.map { ControlLock.Skipped(name: kind.rawValue, reason: $0) }
            }
    }

    private var ordered: [RampableControl] { RampableControl.allCases.filter { ramps[$0] != nil } }

    /// Freezes properties at their present values. Those that are frozen already keep theirs.
    mutating func freeze(_ kinds: Set<LockableControl>, _ controls: CameraControls) throws(CaptureError) {
        let locked = Set(frozen.filter { !$0.lock.isEmpty }.map(\.kind))
        frozen.removeAll { $0.lock.isEmpty }
        for kind in LockableControl.allCases where kinds.contains(kind) && !locked.contains(kind) {
            for ramp in ordered where ramp.lockable == kind { try end(ramp, controls) }
            frozen.append(Frozen(kind: kind, lock: try controls.lock([kind])))
        }
    }

    /// Ramps properties from the next picture on. Those that are ramped already go on.
    mutating func ramp(_ kinds: Set<RampableControl>, _ controls: CameraControls) throws(CaptureError) {
        let locked = frozen.map(\.kind)
        let others = Set(locked).subtracting(kinds.map(\.lockable))
        if others.count < locked.count {
            try thaw(controls)
            try freeze(others, controls)
        }
        for kind in kinds where !ramped.contains(kind) { ramps[kind] = HeldControls() }
    }

    /// Gives all properties back to the camera.
    mutating func release(_ controls: CameraControls) throws(CaptureError) {
        for kind in ordered { try end(kind, controls) }
        try thaw(controls)
    }

    private mutating func thaw(_ controls: CameraControls) throws(CaptureError) {
        for one in frozen.reversed() { try controls.restore(one.lock) }
        frozen = []
    }

    private mutating func end(_ kind: RampableControl, _ controls: CameraControls) throws(CaptureError) {
        if let held = ramps[kind] { try controls.restore(held.lock) }
        ramps[kind] = nil
    }

    /// `true` if there are ramps, and this picture shows the last change of their controls.
    func isFollowing(_ frame: Frame, frameDuration: Duration) -> Bool {
        !ramped.isEmpty && frame.shows(lastChange, frameDuration: frameDuration)
    }

    /// Begins ramps that have not begun, and adjusts the others to the light of a picture, for the next one.
    ///
    /// - Parameter light: `nil` if it cannot be measured.
    /// - Throws: ``CaptureError`` if the driver refuses a value; the ramp keeps its earlier state then.
    mutating func follow(
        _ light: LightReading?, _ limits: RampLimits, frameDuration: Duration, _ controls: CameraControls
    ) throws(CaptureError) {
        for kind in ramped {
            guard var held = ramps[kind], !held.ramp.isEmpty else {
                ramps[kind] = try controls.beginRamp(kind, light, limits, frameDuration: frameDuration)
                continue
            }
            guard let light else { continue }
            let changes = held.follow(light)
            if !changes.isEmpty {
                lastChange = PipelineClock.system.now
                try controls.carryOut(changes)
            }
            ramps[kind] = held
        }
    }
}
