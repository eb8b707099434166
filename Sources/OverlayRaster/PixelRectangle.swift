// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// A rectangle of whole pixels of the frame.
struct PixelRectangle: Equatable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    var isEmpty: Bool { width <= 0 || height <= 0 }

    /// Creates the rectangle of the request's frame that a box touches.
    init(touchedBy box: ContentBox, in request: RasterRequest) {
        let left = Self.clamp(box.x.rounded(.down), to: request.width)
        let top = Self.clamp(box.y.rounded(.down), to: request.height)
        let right = Self.clamp((box.x + box.width).rounded(.up), to: request.width)
        let bottom = Self.clamp((box.y + box.height).rounded(.up), to: request.height)
        (x, y, width, height) = (left, top, right - left, bottom - top)
    }

    // Converting NaN, or a number that does not fit an `Int`, would trap.
    private static func clamp(_ position: Double, to side: Int) -> Int {
        position > 0 ? Int(min(position, Double(side))) : 0
    }
}
