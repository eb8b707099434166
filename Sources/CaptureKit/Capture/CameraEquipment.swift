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
    private var lockState: ControlLock?

    /// Opens the controls, and sets what the configuration asks for; `nil` where the source has no device node.
    ///
    /// - Throws: ``CaptureError`` where a control does not exist or refuses its value.
    static func open(for configuration: CaptureConfiguration) async throws(CaptureError) -> CameraEquipment? {
        guard case .camera(let camera) = configuration.source, camera.kind == .v4l2 || !configuration.controls.isEmpty
        else { return nil }
        return try await CameraEquipment(camera, configuration)
    }

    private init(_ camera: Camera, _ configuration: CaptureConfiguration) async throws(CaptureError) {
        locks = configuration.locks
        controls = try CameraControls(camera)
        if !configuration.controls.isEmpty { try controls.set(configuration.controls) }
        if configuration.flash != .off { flash = try CameraFlash(configuration.flash, controls) }
    }

    /// Freezes what is to be frozen; answers what the camera does not have.
    func lock() throws(CaptureError) -> [String] {
        guard !locks.isEmpty else { return [] }
        let state = try controls.lock(locks)
        lockState = state
        return state.skipped.map { "not locked: \($0)" }
    }

    /// Exposure time and gain now, where the driver tells.
    func exposure() -> ExposureReading? { try? controls.exposure() }

    /// Puts the flash on.
    func light() throws(CaptureError) { try flash?.light() }

    /// Puts the flash off.
    func douse() { try? flash?.douse() }

    /// Puts automatic controls back to what they were.
    func restore() {
        if let lockState { try? controls.restore(lockState) }
        try? flash?.douse()
    }
}
