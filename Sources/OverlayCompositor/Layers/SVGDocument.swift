// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A drawing of our own, in pixels of the frame.
struct SVGDocument {
    /// The file.
    let bytes: [UInt8]

    /// Wraps elements.
    init(_ scene: LayerScene, _ elements: String) {
        let box = "0 0 \(scene.width) \(scene.height)"
        bytes = Array(#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="\#(box)">\#(elements)</svg>"#.utf8)
    }
}
