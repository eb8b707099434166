// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import OverlayCompositor

/// The parts of a service that all its cameras and jobs share.
struct ServiceParts: Sendable {
    let hub: CameraHub
    /// The live streams, which have one limit for all cameras.
    let streams = StreamHub()
    /// The loans, which have one limit for all cameras.
    let loans = FrameLoans()
    /// The held controls of each device: two cameras of a configuration can be one device.
    let controls: ControlChanges
    /// Limits the requested pictures that wait to be stored.
    let memory: PictureMemory
    /// Draws layers; `nil` if it is not installed.
    let rasterizer: (any Rasterizer)?
    let emit: @Sendable (ServiceEvent) -> Void
    /// Ends the service soon: a driver hangs.
    let giveUp: @Sendable (CaptureError) -> Void
    /// The pause before the first retry of a series, which doubles with each further one.
    let retryDelay: Duration
    /// Receives the events of the jobs; `nil` for none.
    let observer: (any ServiceObserver)?
    /// Finds the pictures that the outbox has sent; `nil` without an outbox.
    var outbox: SentPicturesSource?
}

extension ServiceParts {
    /// Checks that the layers of a configuration that are burnt in can be drawn.
    ///
    /// - Throws: `CaptureError` `.configuration` if not.
    func checkRasterizer(for configuration: CaptureConfiguration) throws(CaptureError) {
        guard configuration.burnIn.isEmpty || rasterizer != nil else {
            throw CaptureError(
                .configuration, "needs gst-capture-raster, which is not installed", subject: "burn-in",
                advice: "install gst-capture as a whole")
        }
    }
}
