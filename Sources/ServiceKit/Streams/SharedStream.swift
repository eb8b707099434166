// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import OverlayCompositor

/// A stream of a camera with one encoder for all its viewers.
protocol SharedStream: AnyObject, Sendable {
    /// The wishes of a viewer. All viewers with equal requests share a stream.
    associatedtype Request: Sendable, Hashable
    /// The end of the stream at which one viewer is. The viewer leaves when it is released.
    associatedtype Viewer: Sendable

    /// The request of its viewers.
    var request: Request { get }
    /// The number of viewers.
    var viewerCount: Int { get }
    /// The state of the camera, as the stream sees it.
    var health: CameraHealth { get }
    /// `true` after the end: no viewer can join.
    var hasEnded: Bool { get }

    /// Adds a viewer; `nil` if the stream has ended.
    func join() -> Viewer?

    /// Runs the stream. Returns 2 s after the last viewer has left, or after ``end()``, when the camera is released.
    func run() async

    /// Ends the stream for all viewers.
    func end()
}

/// The parts of a service that its streams share.
struct StreamSurroundings: Sendable {
    /// Draws layers and faults; `nil` if it is not installed.
    let rasterizer: (any Rasterizer)?
    /// Ends the service soon: a driver hangs.
    let giveUp: @Sendable (CaptureError) -> Void
    /// Reports that the camera is lost, or back, and notices.
    let report: @Sendable (any SharedStream, CaptureEvent) -> Void
    /// Measures the encoder; `nil` for none.
    let observer: (any ServiceObserver)?
}
