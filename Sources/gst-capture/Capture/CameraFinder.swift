// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit

/// Asks for cameras on a thread where drivers may take their time.
enum CameraFinder {
    /// All cameras, the scene last.
    static func all() async -> [Camera] {
        let catalog = await CameraCatalog.discovering()
        return await BlockingWork.run { catalog.cameras() }
    }

    /// The camera that a text means.
    static func resolve(_ text: String) async throws(CaptureError) -> Camera {
        let catalog = await CameraCatalog.finding(text)
        return try await BlockingWork.run { () throws(CaptureError) in try catalog.resolve(text) }
    }
}
