// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Looks at the frames of a preview before anything is drawn on them: mirrored and in the size that is shown.
///
/// Only those of the camera that is shown, one after the other, on its streaming thread: frames wait meanwhile, though
/// those of the stills do not. While a page is shown, they go on.
protocol PreviewObserver: Sendable {
    /// Frames that follow are of other formats than those before.
    ///
    /// - Parameters:
    ///   - camera: The frames as they come from the camera, or its decoder.
    ///   - shown: The frames as they are looked at.
    func meet(_ camera: VideoInfo, _ shown: VideoInfo)

    /// Here is a frame. Whoever keeps it after this call has it copied before it is drawn on.
    ///
    /// - Parameter taken: When it came into the preview, on ``PipelineClock/system``.
    func look(at buffer: Buffer, _ info: VideoInfo, taken: ClockTime?)
}
