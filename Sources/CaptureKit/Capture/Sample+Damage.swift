// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension Sample {
    /// Refuses a frame that is cut off: elements make pictures of what is left, and of memory that is nobody's.
    ///
    /// - Throws: ``CaptureError``; nothing is known of what is neither raw video nor JPEG.
    func checkWhole() throws(CaptureError) {
        guard let caps else { return }
        if let info = caps.videoInfo {
            guard let buffer, (try? buffer.withVideoFrame(info) { _ in }) != nil else { throw .damaged(info.format) }
        } else if caps.structures.first?.name == "image/jpeg" {
            guard let bytes = try? buffer?.bytes() else { throw .damaged("JPEG") }
            _ = try JPEGPicture(bytes)
        }
    }
}
