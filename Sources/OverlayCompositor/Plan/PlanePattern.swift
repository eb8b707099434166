// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How the bytes of a plane follow from pixels: one group of pixels after the other, each group in the same bytes.
struct PlanePattern: Sendable, Hashable {
    /// What a byte holds.
    enum Component: Sendable, Hashable {
        case luma, blueDifference, redDifference
        case red, green, blue, alpha
        /// Nothing; it stays as it is.
        case padding
    }

    /// A byte of a group.
    struct Sample: Sendable, Hashable {
        let component: Component
        /// The column of its pixel in the group; `nil` where it stands for all pixels of the group.
        let column: Int?
    }

    /// Pixels of a group in a row.
    let columns: Int
    /// Rows of pixels in a group.
    let rows: Int
    /// The bytes of a group.
    let samples: [Sample]

    /// A group of one pixel.
    init(_ components: Component...) {
        (columns, rows) = (1, 1)
        samples = components.map { Sample(component: $0, column: 0) }
    }

    /// A group of several pixels, whose bytes stand for all of them.
    init(columns: Int, rows: Int, _ components: Component...) {
        (self.columns, self.rows) = (columns, rows)
        samples = components.map { Sample(component: $0, column: nil) }
    }

    /// A group of several pixels in a row, of which each byte names its own.
    init(columns: Int, _ samples: [Sample]) {
        (self.columns, rows) = (columns, 1)
        self.samples = samples
    }
}

extension PlanePattern {
    /// The planes of a format by GStreamer's name, in the order of memory; `nil` for formats that cannot be drawn on.
    static func planes(of format: String) -> [PlanePattern]? {
        switch format {
        case "I420": planar(2, 2, .blueDifference, .redDifference)
        case "YV12": planar(2, 2, .redDifference, .blueDifference)
        case "Y42B": planar(2, 1, .blueDifference, .redDifference)
        case "Y444": planar(1, 1, .blueDifference, .redDifference)
        case "NV12":
            [PlanePattern(.luma), PlanePattern(columns: 2, rows: 2, .blueDifference, .redDifference)]
        case "NV21":
            [PlanePattern(.luma), PlanePattern(columns: 2, rows: 2, .redDifference, .blueDifference)]
        case "YUY2": [PlanePattern(columns: 2, [luma(0), chroma(.blueDifference), luma(1), chroma(.redDifference)])]
        case "UYVY": [PlanePattern(columns: 2, [chroma(.blueDifference), luma(0), chroma(.redDifference), luma(1)])]
        case "GRAY8": [PlanePattern(.luma)]
        case "RGB": [PlanePattern(.red, .green, .blue)]
        case "BGR": [PlanePattern(.blue, .green, .red)]
        case "RGBx": [PlanePattern(.red, .green, .blue, .padding)]
        case "BGRx": [PlanePattern(.blue, .green, .red, .padding)]
        case "xRGB": [PlanePattern(.padding, .red, .green, .blue)]
        case "xBGR": [PlanePattern(.padding, .blue, .green, .red)]
        case "RGBA": [PlanePattern(.red, .green, .blue, .alpha)]
        case "BGRA": [PlanePattern(.blue, .green, .red, .alpha)]
        case "ARGB": [PlanePattern(.alpha, .red, .green, .blue)]
        case "ABGR": [PlanePattern(.alpha, .blue, .green, .red)]
        default: nil
        }
    }

    private static func planar(_ columns: Int, _ rows: Int, _ second: Component, _ third: Component) -> [PlanePattern] {
        [
            PlanePattern(.luma), PlanePattern(columns: columns, rows: rows, second),
            PlanePattern(columns: columns, rows: rows, third),
        ]
    }

    private static func luma(_ column: Int) -> Sample { Sample(component: .luma, column: column) }

    private static func chroma(_ component: Component) -> Sample { Sample(component: component, column: nil) }
}
