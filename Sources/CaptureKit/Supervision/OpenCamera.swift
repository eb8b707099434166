// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import FrameMeasures
import PipelineKit

/// A camera that delivers frames and whose picture is steady.
package struct OpenCamera: Sendable {
    /// The session that delivers the frames.
    package let session: CameraSession
    /// The camera's controls; `nil` if it has none.
    let equipment: CameraEquipment?
    /// `true` if the job that has this camera fires its flash.
    var firesFlash: Bool
    /// The report of how the picture became steady.
    let settling: SettleReport
    /// The time from one frame to the next.
    package let frameDuration: Duration
    /// Bounds the calls that can hang in the camera's driver.
    let deadline: Deadline
}

extension OpenCamera {
    /// Returns exposure time and gain now; `nil` if the driver does not report them.
    package func exposure() async -> ExposureReading? {
        guard let equipment else { return nil }
        return try? await deadline.bound("reading the exposure") { await equipment.exposure() } ?? nil
    }

    /// Turns the flash on if it is to fire for the next picture.
    ///
    /// - Parameter feed: Delivers the frame whose brightness decides about an automatic flash.
    /// - Returns: The moment from which frames show the light, three frames later; `nil` if it is not lit.
    package func light(_ feed: FrameFeed) async throws(CaptureError) -> ClockTime? {
        guard let equipment, firesFlash else { return nil }
        let frame = equipment.measuresForFlash ? await feed.next() : nil
        if let frame { feed.giveBack(frame) }
        let isLit = try await deadline.bound("turning on the flash") { () throws(CaptureError) in
            try await equipment.light(after: frame)
        }
        return isLit ? PipelineClock.system.now + frameDuration * 3 : nil
    }

    /// Turns the flash off.
    package func turnOff() async {
        guard let equipment, firesFlash else { return }
        try? await deadline.bound("turning off the flash") { await equipment.turnOff() }
    }
}
