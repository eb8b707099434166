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

    /// Puts the flash on if it is to fire for the next picture.
    ///
    /// - Parameter feed: Gives the frame whose light decides about an automatic flash.
    /// - Returns: The moment from which frames show the light, three frames later; `nil` if it is not lit.
    func light(_ feed: FrameFeed) async throws(CaptureError) -> ClockTime? {
        guard let equipment, equipment.hasFlash else { return nil }
        let frame = equipment.measuresForFlash ? await feed.next() : nil
        if let frame { feed.giveBack(frame) }
        let isLit = try await deadline.bound("lighting the flash") { () throws(CaptureError) in
            try await equipment.light(after: frame)
        }
        return isLit ? PipelineClock.system.now + frameDuration * 3 : nil
    }

    /// Puts the flash off.
    func douse() async {
        guard let equipment else { return }
        try? await deadline.bound("putting the flash out") { await equipment.douse() }
    }
}
