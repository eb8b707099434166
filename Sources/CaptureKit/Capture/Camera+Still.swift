// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import StillKit

extension Camera {
    /// Opens the camera, captures a picture as soon as the exposure is steady, and closes the camera.
    ///
    ///     let still = try await Camera.first().still()
    ///
    /// If the task is canceled, the camera is closed and no picture is taken. ``CaptureController`` has all settings, and
    /// captures more than one picture.
    ///
    /// - Parameter format: The format of ``Still/bytes``. JPEG of a camera that delivers JPEG stays unchanged.
    /// - Returns: The picture, with its bytes.
    /// - Throws: `CaptureError` if the camera cannot be opened, delivers no whole frame, or the task is canceled.
    public func still(as format: StillFormat = .jpeg) async throws(CaptureError) -> Still {
        var configuration = CaptureConfiguration(source: .camera(self), output: .caller)
        configuration.still = format
        let controller = CaptureController(configuration)
        async let summary = controller.run()
        var still: Still?
        for await case .captured(let captured) in controller.events { still = captured }
        let outcome = await summary
        if let still { return still }
        if case .failed(let error) = outcome.ending { throw error }
        throw outcome.firstFailure ?? .calledOff
    }
}
