// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import PipelineKit
import StillKit

/// Handles the controls of a V4L2 camera around a capture: sets them before it, locks them when the picture is steady,
/// reads them for each picture, and restores them.
///
/// An actor with its own thread, as driver calls block. Opening it blocks a thread of Dispatch, and none of the caller.
package actor CameraEquipment {
    private let executor = BlockingExecutor("gst-capture.controls")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let locks: Set<LockableControl>
    private let ramps: Set<RampableControl>
    private let rampLimits: RampLimits
    private let controls: CameraControls
    private let meter = LightMeter()
    private var isFollowing = false
    private nonisolated let flash: CameraFlash?
    /// The use of the flash by the jobs that use it.
    nonisolated let flashMode: FlashMode
    private var decision = FlashDecision()
    /// The locked and ramped controls, from this session of the camera or an earlier one; `nil` before they are held.
    private var held: HeldControls?
    /// `true` once the controls were restored.
    private var isRestored = false
    /// The number of calls that turned the flash off, lit or not.
    private var turnOffs = 0
    /// When a ramp last changed a control.
    private var lastChange: ClockTime?

    /// Opens the controls, and sets those that the configuration names. Returns `nil` if there are none to open: for
    /// elements in place of a camera, and for a camera without a device node that needs neither controls nor a flash.
    ///
    /// - Parameter held: The controls that were held when the camera was last open; they get the same values again.
    ///   ``hold(_:frameDuration:)`` returns a notice for each value that the camera refuses now.
    /// - Throws: ``CaptureError`` if a control does not exist or refuses its value, or if the flash has to be lit and
    ///   the camera has none.
    static func open(
        for configuration: CaptureConfiguration, held: HeldControls? = nil
    ) async throws(CaptureError) -> CameraEquipment? {
        guard case .camera(let camera) = configuration.source else {
            guard configuration.needsFlash else { return nil }
            throw CaptureError(
                .configuration, "has no controls, and so no flash", subject: configuration.sourceName,
                advice: "leave out --flash, or name a camera with --camera")
        }
        guard camera.kind == .v4l2 || !configuration.controls.isEmpty || configuration.needsFlash else { return nil }
        let controls = try await BlockingWork.run { () throws(CaptureError) in try CameraControls(camera) }
        return try await CameraEquipment(controls, configuration, held)
    }

    init(
        _ controls: CameraControls, _ configuration: CaptureConfiguration, _ held: HeldControls? = nil
    ) async throws(CaptureError) {
        // An initializer does not run on the executor of its actor.
        (flash, self.held) = try await BlockingWork.run { () throws(CaptureError) in
            try CameraEquipment.prepare(controls, configuration, held)
        }
        locks = configuration.locks
        (ramps, rampLimits) = (configuration.ramps, configuration.rampLimits)
        self.controls = controls
        flashMode = configuration.flash
    }

    /// Sets the controls, finds the flash, and locks those controls again that were held. It blocks.
    private static func prepare(
        _ controls: CameraControls, _ configuration: CaptureConfiguration, _ held: HeldControls?
    ) throws(CaptureError) -> (flash: CameraFlash?, held: HeldControls?) {
        if !configuration.controls.isEmpty { try controls.set(configuration.controls) }
        let flash = try Self.flash(configuration, controls)
        guard var held else { return (flash, nil) }
        held.notices = try controls.repeatLock(held.lock).map {
            Notice(.controlNotLocked, about: $0.name, "not locked again: \($0)")
        }
        return (flash, held)
    }

    /// Locks the controls that the configuration locks, and takes over those that it ramps, unless they are already
    /// held. Returns the held controls; `nil` if the configuration locks and ramps none.
    ///
    /// - Parameter frame: A frame whose light and color the following pictures keep.
    /// - Throws: ``CaptureError`` if the camera was disconnected. Some controls may be held then, see ``restore()``.
    func hold(_ frame: Frame, frameDuration: Duration) async throws(CaptureError) -> HeldControls? {
        guard !locks.isEmpty || !ramps.isEmpty else { return nil }
        if let held { return held }
        let light = ramps.isEmpty ? nil : await meter.read(frame.sample)
        // After a timeout the caller has restored the controls already.
        guard !isRestored else { throw .calledOff }
        var held = HeldControls(lock: try controls.lock(locks))
        held.notices = held.lock.skipped.map { Notice(.controlNotLocked, about: $0.name, "not locked: \($0)") }
        self.held = held
        for kind in RampableControl.allCases where ramps.contains(kind) {
            held.add(try controls.beginRamp(kind, light, rampLimits, frameDuration: frameDuration))
            self.held = held
        }
        return held
    }

    /// Measures the light of a picture, and adjusts the ramped controls for the next. Returns the held controls; `nil`
    /// if no control is ramped, the light cannot be measured, another call is measuring, or this frame may not show the
    /// last change yet.
    ///
    /// - Throws: ``CaptureError`` if the driver refuses; the ramp keeps its earlier state then.
    func follow(_ frame: Frame, frameDuration: Duration) async throws(CaptureError) -> HeldControls? {
        guard held?.ramp.isEmpty == false, !isFollowing, frame.shows(lastChange, frameDuration: frameDuration)
        else { return nil }
        isFollowing = true
        defer { isFollowing = false }
        guard let light = await meter.read(frame.sample), var held else { return nil }
        let changes = held.follow(light)
        if !changes.isEmpty {
            lastChange = PipelineClock.system.now
            try controls.carryOut(changes)
        }
        self.held = held
        return held
    }

    /// Returns the current exposure time, gain and color temperature, as far as the driver reports them.
    func exposure() -> ExposureReading { controls.exposure() }

    /// `true` if there is a flash that is not always off.
    nonisolated var hasFlash: Bool { flash != nil }

    /// `true` if the decision about the flash needs a frame.
    nonisolated var measuresForFlash: Bool { flash != nil && flashMode == .auto }

    /// Opens the flash; `nil` if it is always off. With an automatic flash, a camera without one captures pictures all
    /// the same.
    private static func flash(
        _ configuration: CaptureConfiguration, _ controls: CameraControls
    ) throws(CaptureError) -> CameraFlash? {
        guard configuration.flash != .off else { return nil }
        if let control = configuration.flashControl { return try CameraFlash(control, controls) }
        do throws(CaptureError) {
            return try CameraFlash(configuration.flash, controls)
        } catch {
            guard configuration.flash == .auto, error.code == .configuration else { throw error }
            return nil
        }
    }

    /// Lights the flash if it is to fire for the next picture. Returns `true` if it is lit.
    ///
    /// - Parameter frame: An earlier frame, for the automatic flash.
    func light(after frame: Frame?) async throws(CaptureError) -> Bool {
        guard let flash else { return false }
        if flashMode == .auto {
            let earlier = turnOffs
            var brightness: Double?
            if let frame { brightness = await meter.measure(frame.sample) }
            // After a timeout the caller has turned the flash off already, and would not do so again.
            guard decision.fires(at: brightness), turnOffs == earlier else { return false }
        }
        try flash.light()
        return true
    }

    /// Turns the flash off.
    func turnOff() {
        turnOffs += 1
        try? flash?.turnOff()
    }

    /// Restores the automatic controls, and turns the flash off.
    func restore() {
        if let held { try? controls.restore(held.lock) }
        (held, isRestored) = (nil, true)
        meter.close()
        turnOff()
    }
}

extension CaptureConfiguration {
    /// `true` if the flash is required: no picture is captured without one.
    fileprivate var needsFlash: Bool { flash == .on || flash == .torch || flash == .auto && flashControl != nil }
}
