// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Compares the mean of red with that of blue in a picture, on a grid of its pixels.
enum ColorBalance {
    /// Returns red relative to blue in stops; `nil` for formats without color, or whose color cannot be found.
    ///
    /// - Parameter brightness: The mean luma of the same picture, 0 black to 1 white.
    static func redToBlue(of buffer: Buffer, _ info: VideoInfo, brightness: Double) -> Double? {
        guard let pattern = ColorPattern(info.videoFormat) else { return nil }
        let means = try? buffer.withVideoFrame(info) { frame -> (Double, Double)? in
            guard let red = mean(pattern.red, of: frame), let blue = mean(pattern.blue, of: frame) else { return nil }
            return (red, blue)
        }
        guard let (red, blue) = means.flatMap({ $0 }) else { return nil }
        guard pattern.isDifference else { return stops(red / 255, blue / 255) }
        // BT.601. With another matrix, the result differs in the same way in all pictures of a camera.
        let range = info.isFullRange ? 255.0 : 224.0
        return stops(brightness + 1.402 * (red - 128) / range, brightness + 1.772 * (blue - 128) / range)
    }

    private static func stops(_ red: Double, _ blue: Double) -> Double {
        LightReading.stops(red) - LightReading.stops(blue)
    }

    private static func mean(_ component: ColorPattern.Component, of frame: borrowing VideoFrame) -> Double? {
        frame.withPlane(component.plane) { bytes, layout in
            bytes.withUnsafeBytes { component.bytes.mean(of: $0, layout) }
        }
    }
}
