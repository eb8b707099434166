// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureKit
import FrameLink
import PipelineKit

/// Finds cameras on a thread that may block, because drivers can be slow.
enum CameraFinder {
    /// Returns all cameras, the built-in scene last.
    static func all() async -> [Camera] {
        let catalog = await CameraCatalog.discovering()
        return await BlockingWork.run { catalog.cameras() }
    }

    /// Returns the camera that `text` names, as ``CameraCatalog/find(_:)`` does. If a service of this machine holds it,
    /// the service delivers its frames. `service:garden` names a camera as the service does.
    ///
    /// - Throws: The errors of ``CameraCatalog/find(_:)``.
    static func find(_ text: String) async throws(CaptureError) -> Camera {
        if text.hasPrefix(LocalService.prefix) {
            return try await LocalService.camera(id: String(text.dropFirst(LocalService.prefix.count)))
        }
        do throws(CaptureError) {
            let camera = try await CameraCatalog.find(text)
            return await LocalService.standIn(for: camera) ?? camera
        } catch {
            // The user may be allowed to use the service, but not the device.
            if let camera = await LocalService.camera(named: text) { return camera }
            throw error
        }
    }
}
