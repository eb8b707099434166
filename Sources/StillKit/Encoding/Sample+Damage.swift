// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

extension Sample {
    /// Checks that the frame is not cut off. Elements would make a picture of the remaining bytes, and of memory beyond
    /// them.
    ///
    /// - Throws: ``CaptureError`` if it is cut off. Frames that are neither raw video nor JPEG are not checked.
    package func checkWhole() throws(CaptureError) {
        guard let caps else { return }
        if let info = caps.videoInfo {
            guard let buffer, (try? buffer.withVideoFrame(info) { _ in }) != nil else { throw .damaged(info.format) }
        } else if caps.structures.first?.name == "image/jpeg" {
            guard let bytes = try? buffer?.bytes() else { throw .damaged("JPEG") }
            _ = try JPEGPicture(bytes)
        }
    }
}
