// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The controls of a V4L2 camera around a capture: set before, frozen when steady, read for each picture, and put back.
///
/// An actor on a thread of its own, as drivers block.
actor CameraEquipment {
    private let executor = BlockingExecutor("gst-capture.controls")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

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
    /// What is held, since now or since the camera was open before.
    private var held: HeldControls?
    /// When a ramp changed something.
    private var lastChange: ClockTime?

    /// Opens the controls, and sets what the configuration asks for; `nil` where the source has no device node.
    ///
    /// - Parameter held: What was held when the camera was open before: it is to be so again.
    /// - Throws: ``CaptureError`` where a control does not exist or refuses its value, or if there is no flash although it is
    ///   to be lit.
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

    /// Freezes what is to be frozen, and takes over what is to be ramped, unless that is done; answers how it is. `nil`
    /// where nothing is to be.
    ///
    /// - Parameter frame: A picture as it is to stay.
    func hold(_ frame: Frame, frameDuration: Duration) async throws(CaptureError) -> HeldControls? {
        guard !locks.isEmpty || !ramps.isEmpty else { return nil }
        if let held { return held }
        let light = ramps.isEmpty ? nil : await meter.read(frame.sample)
        var held = HeldControls(lock: try controls.lock(locks))
        held.notices = held.lock.skipped.map { "not locked: \($0)" }
        self.held = held
        for thing in RampableControl.allCases where ramps.contains(thing) {
            held.add(try controls.beginRamp(thing, light, rampLimits, frameDuration: frameDuration))
            self.held = held
        }
        return held
    }

    /// Measures the light of a picture, and changes what is ramped for the next; answers how it is then. `nil` where there
    /// is nothing to change, or the last change may not show in this picture yet.
    ///
    /// - Throws: ``CaptureError`` where the driver refuses; the ramp is where it was then.
    func follow(_ frame: Frame, frameDuration: Duration) async throws(CaptureError) -> HeldControls? {
        // Frames show what was set about three frames later.
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

    /// Exposure time, gain and colour temperature now, as far as the driver reports them, and the use of the flash.
    func exposure() -> ExposureReading? {
        let reading = try? controls.exposure()
        guard let flashUse else { return reading }
        var full = reading ?? ExposureReading()
        full.flash = flashUse
        return full
    }

    /// True if there is a flash that is not always off.
    nonisolated var hasFlash: Bool { flash != nil }

    /// True if the decision about the flash needs a frame.
    nonisolated var measuresForFlash: Bool { flash != nil && flashMode == .auto }

    /// With an automatic flash, a camera that has none takes pictures all the same.
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

    /// Puts the flash on if it is to fire for the next picture; returns `true` if it did.
    ///
    /// - Parameter frame: A frame from before, for the automatic flash.
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

    /// Puts the flash off.
    func douse() { try? flash?.douse() }

    /// Puts automatic controls back to what they were.
    func restore() {
        if let held { try? controls.restore(held.lock) }
        held = nil
        meter.close()
        try? flash?.douse()
    }
}

extension CaptureConfiguration {
    /// True if no picture is to be taken without a flash.
    fileprivate var needsFlash: Bool { flash == .on || flash == .torch || flash == .auto && flashControl != nil }
}
