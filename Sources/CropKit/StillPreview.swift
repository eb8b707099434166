// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

extension StillCoding {
    /// Returns a still as the preview showed it: scaled, mirrored, and with its borders. Averages the pixels of the still
    /// that each pixel of the preview covers.
    ///
    /// - Parameter geometry: The place of the still on the preview; its size must be that of the still.
    /// - Returns: A raw frame in RGB.
    /// - Throws: ``CaptureError`` `.software` if there is no memory for the frame.
    package static func preview(
        of still: StillPixels, on geometry: StillGeometry
    ) async throws(CaptureError) -> Sample {
        do {
            return try await BlockingWork.run {
                let small = shrunk(still, to: max(1, Int(geometry.picture.width.rounded())))
                let scale = Homography.scaling(
                    Double(small.width) / Double(geometry.width), Double(small.height) / Double(geometry.height))
                let shown = small.warped(
                    width: geometry.previewWidth, height: geometry.previewHeight, by: scale * geometry.toStill,
                    outside: SIMD4(0, 0, 0, 255))
                return try frame(of: shown, "RGB")
            }
        } catch {
            throw CaptureError(.software, "no memory for a preview of \(geometry.width)x\(geometry.height): \(error)")
        }
    }
}
