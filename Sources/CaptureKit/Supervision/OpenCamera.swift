// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// A camera that delivers, and whose picture is steady.
struct OpenCamera: Sendable {
    /// Where frames come from.
    let session: CameraSession
    /// Its controls, where it has any.
    let equipment: CameraEquipment?
    /// How its picture became steady.
    let settling: SettleReport
    /// The time from one frame to the next.
    let frameDuration: Duration
    /// Bounds what its driver can hang in.
    let deadline: Deadline
}

extension OpenCamera {
    /// Exposure time and gain now, where the driver tells.
    func exposure() async -> ExposureReading? {
        guard let equipment else { return nil }
        return try? await deadline.bound("reading the exposure") { await equipment.exposure() } ?? nil
    }

    /// Puts the flash on.
    func light() async throws(CaptureError) {
        guard let equipment else { return }
        try await deadline.bound("lighting the flash") { () throws(CaptureError) in try await equipment.light() }
    }

    /// Puts the flash off.
    func douse() async {
        guard let equipment else { return }
        try? await deadline.bound("putting the flash out") { await equipment.douse() }
    }
}
