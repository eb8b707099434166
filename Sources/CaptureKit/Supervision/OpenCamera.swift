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
    let equipment: (any CameraEquipping)?
    /// `true` if the job that has this camera fires its flash.
    var firesFlash: Bool
    /// The report of how the picture became steady.
    let settling: SettleReport
    /// The time from one frame to the next; 100 ms if the camera does not state it.
    package let frameDuration: Duration
    /// Bounds the calls that can hang in the camera's driver.
    let deadline: Deadline
}

/// The use of the flash for one picture of a job.
package struct Lighting: Sendable {
    /// The moment from which frames show the flash, three frames after it was lit; `nil` if it is not lit.
    package fileprivate(set) var moment: ClockTime?
    /// The use for the records; `nil` if the job or the camera has no flash.
    fileprivate(set) var use: FlashUse?
    /// The error of a driver that refuses to light the flash, or ``CaptureError/Code/wedged`` if it hangs.
    package fileprivate(set) var failure: CaptureError?
}

extension OpenCamera {
    /// `true` if jobs with a flash mode light a flash.
    package var hasFlash: Bool { equipment?.hasFlash ?? false }

    /// Returns the current exposure; `nil` if the camera has no controls, or its driver fails or hangs.
    package func exposure() async -> ExposureReading? { await exposure(with: Lighting()) }

    /// Returns the current exposure and the use of the flash for a picture; `nil` if neither is known: the camera has no
    /// controls, or its driver fails or hangs.
    package func exposure(with lighting: Lighting) async -> ExposureReading? {
        guard let equipment else { return nil }
        let reading: ExposureReading? =
            try? await deadline.bound("reading the exposure") { await equipment.exposure() }
        guard let use = lighting.use else { return reading }
        var full = reading ?? ExposureReading()
        full.flash = use
        return full
    }

    /// Turns the flash on if it is to fire for the next picture. The caller must call ``turnOff()`` in every case.
    ///
    /// - Parameter feed: Delivers the frame whose brightness decides about an automatic flash. It arrived at most two
    ///   frame durations before the call: a frame that was given back earlier shows the light of that time.
    package func light(_ feed: FrameFeed) async -> Lighting {
        guard let equipment, firesFlash else { return Lighting() }
        let start = PipelineClock.system.now - frameDuration * 2
        let frame = equipment.measuresForFlash ? await feed.peek(since: start) : nil
        var lighting = Lighting(use: FlashUse(mode: equipment.flashMode, hasFired: false))
        do throws(CaptureError) {
            let isLit = try await deadline.bound("turning on the flash") { () throws(CaptureError) in
                try await equipment.light(after: frame)
            }
            guard isLit else { return lighting }
            lighting.moment = PipelineClock.system.now + frameDuration * 3
            lighting.use?.hasFired = true
        } catch {
            lighting.failure = error
        }
        return lighting
    }

    /// Turns the flash off.
    package func turnOff() async {
        guard let equipment, firesFlash else { return }
        try? await deadline.bound("turning off the flash") { await equipment.turnOff() }
    }
}
