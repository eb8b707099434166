// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A filled rectangle with rounded corners.
struct Panel {
    /// The width divided by the height.
    let aspect: Double

    /// The rectangle as an SVG, 100 units high.
    var svg: [UInt8] {
        let (width, radius) = (aspect * 100, min(aspect, 1) * 4)
        let shape = #"<rect width="\#(width)" height="100" rx="\#(radius)" fill="currentColor" stroke="none"/>"#
        return SVGDocument(width: width, height: 100, shape).bytes
    }
}
