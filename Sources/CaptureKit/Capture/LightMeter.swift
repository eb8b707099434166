// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Measures the light of the camera's frames; JPEG frames are decoded for it.
final class LightMeter {
    private var decoder = StillEncoder(format: .raw, quality: 100, orientation: .upright)

    /// Mean brightness, 0 black to 1 white; `nil` where this kind of frame cannot be measured.
    func measure(_ sample: Sample) async -> Double? {
        guard let (buffer, info) = await raw(sample) else { return nil }
        return Brightness.mean(of: buffer, info)
    }

    /// Brightness and colour; `nil` as with ``measure(_:)``.
    func read(_ sample: Sample) async -> LightReading? {
        guard let (buffer, info) = await raw(sample), let brightness = Brightness.mean(of: buffer, info) else {
            return nil
        }
        let redToBlue = ColourBalance.redToBlue(of: buffer, info, brightness: brightness)
        return LightReading(brightness: brightness, redToBlue: redToBlue)
    }

    private func raw(_ sample: Sample) async -> (Buffer, VideoInfo)? {
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
