// Part of gst-capture. Apache License 2.0, see LICENSE.

/// An SVG file that this module generates.
struct SVGDocument {
    /// The bytes of the file.
    let bytes: [UInt8]

    /// Wraps elements whose coordinates are pixels of the frame.
    init(_ scene: LayerScene, _ elements: String) {
        self.init(width: Double(scene.width), height: Double(scene.height), elements)
    }

    /// Wraps elements whose coordinates lie in a view box of this size.
    init(width: Double, height: Double, _ elements: String) {
        let box = "0 0 \(width) \(height)"
        bytes = Array(#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="\#(box)">\#(elements)</svg>"#.utf8)
    }
}
