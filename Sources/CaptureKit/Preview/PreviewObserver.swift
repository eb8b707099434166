// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Sees the frames of a preview before anything is drawn on them, on a streaming thread.
protocol PreviewObserver: Sendable {
    func meet(_ camera: VideoInfo, _ shown: VideoInfo)
    func look(at buffer: Buffer, _ info: VideoInfo, taken: ClockTime?)
}
