// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import Synchronization

/// Passes the frames of pictures that the jobs of a ``CameraHub`` capture to the owner of the hub. Any thread may use it.
final class PictureHook: Sendable {
    typealias Body = @Sendable (Camera, Frame, RampLimits) async -> Void

    private let body = Mutex<Body?>(nil)

    var isSet: Bool { body.withLock { $0 != nil } }

    func set(_ body: Body?) { self.body.withLock { $0 = body } }

    /// Passes on the frame of a picture, unless the source is not a camera.
    func pass(_ frame: Frame, of configuration: CaptureConfiguration) async {
        guard case .camera(let camera) = configuration.source, let body = body.withLock({ $0 }) else { return }
        await body(camera, frame, configuration.rampLimits)
    }
}
