// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The position of luma in the first plane.
struct LumaPattern {
    /// The bytes that represent brightness.
    let bytes: BytePattern
    /// `true` if those bytes are red, green and blue, which always have full range.
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
        bytes = BytePattern(step: step, offsets: offsets)
        self.isRGB = isRGB
    }
}
