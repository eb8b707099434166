// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit

/// Finds cameras on a thread that may block, because drivers can be slow.
enum CameraFinder {
    /// Returns all cameras, the built-in scene last.
    static func all() async -> [Camera] {
        let catalog = await CameraCatalog.discovering()
        return await BlockingWork.run { catalog.cameras() }
    }
}
