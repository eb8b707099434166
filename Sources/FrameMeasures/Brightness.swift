// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Measures the mean brightness of a picture on a grid of its pixels: accurate enough to see exposure converge, and
/// done in microseconds.
package enum Brightness {
    /// Returns the mean luma of a raw frame, 0 black to 1 white; `nil` for formats whose luma cannot be found.
    package static func mean(of buffer: Buffer, _ info: VideoInfo) -> Double? {
        guard let pattern = LumaPattern(info.videoFormat) else { return nil }
        let mean = try? buffer.withVideoFrame(info) { frame in
            frame.withPlane(0) { bytes, layout in bytes.withUnsafeBytes { pattern.bytes.mean(of: $0, layout) } }
        }
        return mean.flatMap { $0 }.map { scale($0, isFullRange: info.isFullRange || pattern.isRGB) }
    }

    private static func scale(_ level: Double, isFullRange: Bool) -> Double {
        let value = isFullRange ? level / 255 : (level - 16) / 219
        return min(1, max(0, value))
    }
}
