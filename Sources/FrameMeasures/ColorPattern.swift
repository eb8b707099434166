// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The positions of red and blue, or of their differences from luma, in the planes of a format.
struct ColorPattern {
    /// The bytes of one component.
    struct Component {
        let plane: Int
        let bytes: BytePattern

        init(_ plane: Int, _ step: Int, _ offset: Int) {
            self.plane = plane
            bytes = BytePattern(step: step, offsets: [offset])
        }
    }

    /// Red, or Cr.
    let red: Component
    /// Blue, or Cb.
    let blue: Component
    /// `true` if the components are Cr and Cb.
    let isDifference: Bool

    init?(format: String) {
        switch format {
        case "I420", "Y42B", "Y41B", "Y444": self.init(Component(2, 1, 0), Component(1, 1, 0))
        case "YV12": self.init(Component(1, 1, 0), Component(2, 1, 0))
        case "NV12", "NV16": self.init(Component(1, 2, 1), Component(1, 2, 0))
        case "NV21": self.init(Component(1, 2, 0), Component(1, 2, 1))
        case "YUY2": self.init(Component(0, 4, 3), Component(0, 4, 1))
        case "YVYU": self.init(Component(0, 4, 1), Component(0, 4, 3))
        case "UYVY": self.init(Component(0, 4, 2), Component(0, 4, 0))
        case "RGB": self.init(rgb: 3, 0, 2)
        case "BGR": self.init(rgb: 3, 2, 0)
        case "RGBx", "RGBA": self.init(rgb: 4, 0, 2)
        case "BGRx", "BGRA": self.init(rgb: 4, 2, 0)
        case "xRGB", "ARGB": self.init(rgb: 4, 1, 3)
        case "xBGR", "ABGR": self.init(rgb: 4, 3, 1)
        default: return nil
        }
    }

    private init(_ red: Component, _ blue: Component, isDifference: Bool = true) {
        (self.red, self.blue, self.isDifference) = (red, blue, isDifference)
    }

    private init(rgb step: Int, _ red: Int, _ blue: Int) {
        self.init(Component(0, step, red), Component(0, step, blue), isDifference: false)
    }
}
