// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Where the luma of a pixel lies in the first plane.
struct LumaPattern {
    /// Bytes from one pixel to the next.
    let step: Int
    /// The bytes of a pixel that stand for its brightness.
    let offsets: [Int]
    /// True where those bytes are red, green and blue, which always have full range.
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
