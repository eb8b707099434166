// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The mean brightness of a picture, from a grid of its pixels: exact enough to see exposure converge, and a matter of
/// microseconds.
enum Brightness {
    /// The mean luma of a raw frame, 0 black to 1 white; `nil` for formats whose luma cannot be found.
    static func mean(of buffer: Buffer, _ info: VideoInfo) -> Double? {
        guard let pattern = LumaPattern(format: info.format) else { return nil }
        let mean = try? buffer.withVideoFrame(info) { frame in
            frame.withPlane(0) { bytes, layout in bytes.withUnsafeBytes { pattern.mean(of: $0, layout) } }
        }
        return mean.flatMap { $0 }.map { scale($0, isFullRange: info.isFullRange || pattern.isRGB) }
    }

    private static func scale(_ level: Double, isFullRange: Bool) -> Double {
        let value = isFullRange ? level / 255 : (level - 16) / 219
        return min(1, max(0, value))
    }
}

/// Where the luma of a pixel lies in the first plane.
private struct LumaPattern {
    /// Bytes from one pixel to the next.
    let step: Int
    /// The bytes of a pixel that stand for its brightness.
    let offsets: [Int]
    let isRGB: Bool

    init?(format: String) {
        switch format {
        case "I420", "YV12", "NV12", "NV21", "NV16", "Y42B", "Y41B", "Y444", "GRAY8": self.init(1, [0])
        case "YUY2", "YVYU": self.init(2, [0])
        case "UYVY": self.init(2, [1])
        case "RGB", "BGR": self.init(3, [0, 1, 2], isRGB: true)
        case "RGBx", "BGRx", "RGBA", "BGRA": self.init(4, [0, 1, 2], isRGB: true)
        case "xRGB", "xBGR", "ARGB", "ABGR": self.init(4, [1, 2, 3], isRGB: true)
        default: return nil
        }
    }

    private init(_ step: Int, _ offsets: [Int], isRGB: Bool = false) {
        self.step = step
        self.offsets = offsets
        self.isRGB = isRGB
    }

    /// About 64 × 48 pixels, spread evenly.
    func mean(of bytes: UnsafeRawBufferPointer, _ layout: PlaneLayout) -> Double {
        let columns = layout.rowBytes / step
        let (across, down) = (max(1, columns / 64), max(1, layout.rows / 48))
        var (sum, count) = (0, 0)
        for row in stride(from: 0, to: layout.rows, by: down) {
            for column in stride(from: 0, to: columns, by: across) {
                let pixel = row * layout.stride + column * step
                for offset in offsets { sum += Int(bytes[pixel + offset]) }
                count += offsets.count
            }
        }
        return count == 0 ? 0 : Double(sum) / Double(count)
    }
}
