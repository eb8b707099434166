// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Lines that help to compose a picture.
public enum Grid: String, Sendable, Hashable, CaseIterable {
    /// Lines at one third and two thirds of the width and the height.
    case thirds
    /// Lines at the golden section: 0.382 and 0.618 of the width and the height.
    case golden
    /// Two lines through the center, from edge to edge.
    case crosshair
    /// A small cross at the center.
    case center = "centre"
}

extension Grid {
    /// Returns the grid's lines as an SVG in pixels of the frame.
    func svg(_ scene: LayerScene) -> [UInt8] {
        let (width, height) = (Double(scene.width), Double(scene.height))
        var path = ""
        func line(_ x: Double, _ y: Double, _ endX: Double, _ endY: Double) { path += "M\(x) \(y)L\(endX) \(endY)" }
        for fraction in fractions {
            line(width * fraction, 0, width * fraction, height)
            line(0, height * fraction, width, height * fraction)
        }
        if self == .center {
            let arm = scene.side * 0.03
            line(width / 2 - arm, height / 2, width / 2 + arm, height / 2)
            line(width / 2, height / 2 - arm, width / 2, height / 2 + arm)
        }
        return SVGDocument(scene, #"<path fill="none" stroke="currentColor" stroke-width="1em" d="\#(path)"/>"#).bytes
    }

    /// The positions of lines from edge to edge, as fractions of the width and the height.
    private var fractions: [Double] {
        switch self {
        case .thirds: [1.0 / 3, 2.0 / 3]
        case .golden: [0.381966, 0.618034]
        case .crosshair: [0.5]
        case .center: []
        }
    }
}
