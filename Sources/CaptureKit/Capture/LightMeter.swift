// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Measures the brightness of the camera's frames while exposure converges, and that and the sharpness of
/// pictures for the ledger; JPEG frames are decoded for it.
final class LightMeter {
    private var decoder = StillEncoder(format: .raw, quality: 100, orientation: .upright)

    /// Mean brightness, 0 black to 1 white; `nil` where this kind of frame cannot be measured.
    func measure(_ sample: Sample) async -> Double? { await pixels(of: sample).flatMap(Brightness.mean) }

    /// Brightness and sharpness; `nil` where this kind of frame cannot be measured.
    func inspect(_ sample: Sample) async -> PictureMeasure? { await pixels(of: sample).flatMap(PictureMeasure.init) }

    private func pixels(of sample: Sample) async -> (Buffer, VideoInfo)? {
        guard let caps = sample.caps, let buffer = sample.buffer else { return nil }
        if let info = caps.videoInfo { return (buffer, info) }
        guard let decoded = try? await decoder.encode(sample), let info = decoded.info,
            let copy = try? Buffer(decoded.bytes)
        else { return nil }
        return (copy, info)
    }

    /// Lets the decoder go.
    func close() { decoder.close() }
}
