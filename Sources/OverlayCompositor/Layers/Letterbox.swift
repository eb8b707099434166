// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The bars around a field of some aspect ratio. The field is as large as fits into the frame.
struct Letterbox {
    /// The field's width divided by its height.
    let aspect: Double

    /// Returns the bars as an SVG in pixels of the frame.
    func svg(_ scene: LayerScene) -> [UInt8] {
        let (width, height) = (Double(scene.width), Double(scene.height))
        let field = (width: min(width, height * aspect), height: min(height, width / aspect))
        let (x, y) = ((width - field.width) / 2, (height - field.height) / 2)
        let bars = [
            (0, 0, width, y), (0, height - y, width, y), (0, y, x, field.height), (width - x, y, x, field.height),
        ]
        let rectangles = bars.filter { $0.2 > 0 && $0.3 > 0 }.map {
            #"<rect x="\#($0.0)" y="\#($0.1)" width="\#($0.2)" height="\#($0.3)"/>"#
        }
        return SVGDocument(scene, #"<g fill="currentColor" stroke="none">\#(rectangles.joined())</g>"#).bytes
    }
}
