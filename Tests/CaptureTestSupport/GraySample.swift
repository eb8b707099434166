// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension Sample {
    /// A gray frame of this brightness, 0 black to 1 white, at 25 frames a second.
    package static func gray(_ level: Double) async throws -> Sample {
        let color = UInt32(level * 255) * 0x010101 | 0xFF00_0000
        let pipeline = try Pipeline(
            "videotestsrc pattern=solid-color foreground-color=\(color) num-buffers=1 ! "
                + "video/x-raw,format=YUY2,width=64,height=48,framerate=25/1 ! appsink name=frames")
        let sink = try AppSink(named: "frames", in: pipeline, .keepNewest(1))
        try await pipeline.play()
        guard let sample = try await sink.nextSample() else { throw PipelineIsEmpty() }
        try await pipeline.stop()
        return sample
    }

    private struct PipelineIsEmpty: Error {}
}
