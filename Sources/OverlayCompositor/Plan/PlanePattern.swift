// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The layout of a plane: groups of pixels follow one another, and each group has the same kinds of bytes.
struct PlanePattern: Sendable, Hashable {
    /// The component in a byte.
    enum Component: Sendable, Hashable {
        case luma, blueDifference, redDifference
        case red, green, blue, alpha
        /// No component; the byte stays unchanged.
        case padding
    }

    /// A byte of a group.
    struct Sample: Sendable, Hashable {
        let component: Component
        /// The column of the byte's pixel in the group; `nil` if the byte stands for all pixels of the group.
        let column: Int?
    }

    /// The number of pixels in each row of a group.
    let columns: Int
    /// The number of rows of pixels in a group.
    let rows: Int
    /// The bytes of a group.
    let samples: [Sample]

    /// Creates a group of one pixel.
    init(_ components: Component...) {
        (columns, rows) = (1, 1)
        samples = components.map { Sample(component: $0, column: 0) }
    }

    /// Creates a group of several pixels, in which each byte stands for all of them.
    init(columns: Int, rows: Int, _ components: Component...) {
        (self.columns, self.rows) = (columns, rows)
        samples = components.map { Sample(component: $0, column: nil) }
    }

    /// Creates a group of several pixels in a row, in which each byte has its own pixel or stands for all of them.
    init(columns: Int, _ samples: [Sample]) {
        (self.columns, rows) = (columns, 1)
        self.samples = samples
    }
}

extension PlanePattern {
    /// Returns the planes of a format (GStreamer's name), in memory order; `nil` if overlays cannot be drawn on it.
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
