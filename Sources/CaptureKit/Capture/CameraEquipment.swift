// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The controls of a V4L2 camera around a capture: set before, frozen when steady, read for each picture, and put back.
///
/// An actor on a thread of its own, as drivers block.
actor CameraEquipment {
    private let executor = BlockingExecutor("gst-capture.controls")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let locks: Set<LockableControl>
    private let controls: CameraControls
    private var flash: CameraFlash?
    /// What was frozen, now or when the camera was open before.
    private var frozen: ControlLock?

    /// Opens the controls, and sets what the configuration asks for; `nil` where the source has no device node.
    ///
    /// - Parameter frozen: What was frozen when the camera was open before: it is to be so again.
    /// - Throws: ``CaptureError`` where a control does not exist or refuses its value.
    static func open(
        for configuration: CaptureConfiguration, frozen: ControlLock? = nil
    ) async throws(CaptureError) -> CameraEquipment? {
        guard case .camera(let camera) = configuration.source, camera.kind == .v4l2 || !configuration.controls.isEmpty
        else { return nil }
        return try await CameraEquipment(camera, configuration, frozen)
    }

    private init(
        _ camera: Camera, _ configuration: CaptureConfiguration, _ frozen: ControlLock?
    ) async throws(CaptureError) {
        locks = configuration.locks
        self.frozen = frozen
        controls = try CameraControls(camera)
        if !configuration.controls.isEmpty { try controls.set(configuration.controls) }
        if configuration.flash != .off { flash = try CameraFlash(configuration.flash, controls) }
        if let frozen { try controls.repeatLock(frozen) }
    }

    /// Freezes what is to be frozen, unless it is; answers how it is. `nil` where nothing is to be.
    func lock() throws(CaptureError) -> ControlLock? {
        guard !locks.isEmpty else { return nil }
        if let frozen { return frozen }
        frozen = try controls.lock(locks)
        return frozen
    }

    /// Exposure time and gain now, where the driver tells.
    func exposure() -> ExposureReading? { try? controls.exposure() }

    /// Puts the flash on.
    func light() throws(CaptureError) { try flash?.light() }

    /// Puts the flash off.
    func douse() { try? flash?.douse() }

    /// Puts automatic controls back to what they were.
    func restore() {
        if let frozen { try? controls.restore(frozen) }
        try? flash?.douse()
    }
}
