// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A drawing of our own.
struct SVGDocument {
    /// The file.
    let bytes: [UInt8]

    /// Wraps elements that count in pixels of the frame.
    init(_ scene: LayerScene, _ elements: String) {
        self.init(width: Double(scene.width), height: Double(scene.height), elements)
    }

    /// Wraps elements that count in units of their own.
    init(width: Double, height: Double, _ elements: String) {
        let box = "0 0 \(width) \(height)"
        bytes = Array(#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="\#(box)">\#(elements)</svg>"#.utf8)
    }
}
