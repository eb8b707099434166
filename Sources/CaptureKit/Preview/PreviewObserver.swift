// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Examines the frames of a preview before layers are drawn on them: mirrored, and in the size that is shown.
///
/// It receives only the frames of the camera that is shown, one at a time, on its streaming thread. The preview waits
/// meanwhile; the stills do not. Frames also arrive while a page covers them.
package protocol PreviewObserver: Sendable {
    /// Receives the formats of the following frames.
    ///
    /// - Parameters:
    ///   - camera: The format of the frames from the camera, or from its decoder.
    ///   - shown: The format of the frames that are examined.
    func setFormats(_ camera: VideoInfo, _ shown: VideoInfo)

    /// Receives a frame. If the observer keeps it after this call, layers are drawn on a copy, and the kept frame has
    /// none.
    ///
    /// - Parameter taken: When the frame entered the preview, on ``PipelineClock/system``.
    func look(at buffer: Buffer, _ info: VideoInfo, taken: ClockTime?)
}
