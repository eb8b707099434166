// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import PipelineKit

/// Handles the controls of a V4L2 camera around a capture: sets them before it, locks them when the picture is steady,
/// reads them for each picture, and restores them.
///
/// An actor with its own thread, as driver calls block.
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
    private nonisolated let flashMode: FlashMode
    private var decision = FlashDecision()
    /// The use of the flash for the current picture.
    private var flashUse: FlashUse?
    /// The locked and ramped controls, from this session of the camera or an earlier one; `nil` before they are held.
    private var held: HeldControls?
    /// When a ramp last changed a control.
    private var lastChange: ClockTime?

    /// Opens the controls, and sets those that the configuration names. Returns `nil` if the source has no device node.
    ///
    /// - Parameter held: The controls that were held when the camera was last open; they get the same values again.
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
        return try await CameraEquipment(CameraControls(camera), configuration, held)
    }

    init(
        _ controls: CameraControls, _ configuration: CaptureConfiguration, _ held: HeldControls? = nil
    ) async throws(CaptureError) {
        locks = configuration.locks
        (ramps, rampLimits) = (configuration.ramps, configuration.rampLimits)
        (self.controls, self.held) = (controls, held)
        if !configuration.controls.isEmpty { try controls.set(configuration.controls) }
        flashMode = configuration.flash
        flash = try Self.flash(configuration, controls)
        if let held { try controls.repeatLock(held.lock) }
    }

    /// Locks the controls that the configuration locks, and takes over those that it ramps, unless they are already
    /// held. Returns the held controls; `nil` if the configuration locks and ramps none.
    ///
    /// - Parameter frame: A frame whose light and color the following pictures keep.
    func hold(_ frame: Frame, frameDuration: Duration) async throws(CaptureError) -> HeldControls? {
        guard !locks.isEmpty || !ramps.isEmpty else { return nil }
        if let held { return held }
        let light = ramps.isEmpty ? nil : await meter.read(frame.sample)
        var held = HeldControls(lock: try controls.lock(locks))
        held.notices = held.lock.skipped.map { Notice(.controlNotLocked, about: $0.name, "not locked: \($0)") }
        self.held = held
        for thing in RampableControl.allCases where ramps.contains(thing) {
            held.add(try controls.beginRamp(thing, light, rampLimits, frameDuration: frameDuration))
            self.held = held
        }
        return held
    }

    /// Measures the light of a picture, and adjusts the ramped controls for the next. Returns the held controls; `nil`
    /// if there is nothing to adjust, or if this frame may not show the last change yet.
    ///
    /// - Throws: ``CaptureError`` if the driver refuses; the ramp keeps its earlier state then.
    func follow(_ frame: Frame, frameDuration: Duration) async throws(CaptureError) -> HeldControls? {
        // Frames show a new setting about three frames later.
        let isFresh = lastChange.map { frame.time - $0 >= frameDuration * 4 } ?? true
        guard held?.ramp.isEmpty == false, isFresh, !isFollowing else { return nil }
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

    /// Returns the current exposure time, gain and color temperature, as far as the driver reports them, and the use of
    /// the flash.
    func exposure() -> ExposureReading? {
        let reading = try? controls.exposure()
        guard let flashUse else { return reading }
        var full = reading ?? ExposureReading()
        full.flash = flashUse
        return full
    }

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
        flashUse = FlashUse(mode: flashMode, hasFired: false)
        if flashMode == .auto {
            var brightness: Double?
            if let frame { brightness = await meter.measure(frame.sample) }
            guard decision.fires(at: brightness) else { return false }
        }
        try flash.light()
        flashUse?.hasFired = true
        return true
    }

    /// Turns the flash off.
    func turnOff() { try? flash?.turnOff() }

    /// Restores the automatic controls, and turns the flash off.
    func restore() {
        if let held { try? controls.restore(held.lock) }
        held = nil
        meter.close()
        try? flash?.turnOff()
    }
}

extension CaptureConfiguration {
    /// `true` if the flash is required: no picture is captured without one.
    fileprivate var needsFlash: Bool { flash == .on || flash == .torch || flash == .auto && flashControl != nil }
}
