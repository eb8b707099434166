// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import PipelineKit

/// Measures the light of the camera's frames while exposure converges or is ramped and for an automatic flash, and the
/// brightness and sharpness of pictures for the ledger. It decodes JPEG frames first.
package final class LightMeter {
    private let decoder = StillEncoder(format: .raw, quality: 100, orientation: .upright)

    package init() {}

    /// Returns the mean brightness, 0 black to 1 white; `nil` if this kind of frame cannot be measured.
    package func measure(_ sample: Sample) async -> Double? { await pixels(of: sample).flatMap(Brightness.mean) }

    /// Returns brightness and sharpness; `nil` if this kind of frame cannot be measured.
    package func inspect(_ sample: Sample) async -> PictureMeasure? {
        await pixels(of: sample).flatMap(PictureMeasure.init)
    }

    /// Returns brightness and color; `nil` if this kind of frame cannot be measured.
    package func read(_ sample: Sample) async -> LightReading? { await pixels(of: sample).flatMap(LightReading.init) }

    private func pixels(of sample: Sample) async -> (Buffer, VideoInfo)? {
        guard let caps = sample.caps, let buffer = sample.buffer else { return nil }
        if let info = caps.videoInfo { return (buffer, info) }
        guard let decoded = try? await decoder.encode(sample), let info = decoded.info,
            let copy = try? Buffer(decoded.bytes)
        else { return nil }
        return (copy, info)
    }

    /// Closes the decoder.
    package func close() { decoder.close() }
}
