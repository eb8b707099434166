// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// The rectangle of content on the frame, in fractional pixels.
struct ContentBox: Equatable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    /// Places content of this size, unscaled, with its anchor on the request's point.
    init(anchoring size: (width: Double, height: Double), for request: RasterRequest) {
        x = request.pointX - request.anchor.x * size.width
        y = request.pointY - request.anchor.y * size.height
        (width, height) = size
    }

    /// Scales content of these proportions to the request's extent, and places its anchor on the request's point.
    init(fitting size: (width: Double, height: Double), for request: RasterRequest) {
        let scale = Self.scale(fitting: size, for: request)
        self.init(anchoring: (size.width * scale, size.height * scale), for: request)
    }

    /// Returns this box with a margin on all sides.
    func grown(by margin: Double) -> ContentBox {
        var grown = self
        grown.x -= margin
        grown.y -= margin
        grown.width += 2 * margin
        grown.height += 2 * margin
        return grown
    }

    private static func scale(fitting size: (width: Double, height: Double), for request: RasterRequest) -> Double {
        let (across, down) = (request.extentWidth / size.width, request.extentHeight / size.height)
        return request.fit == .contain ? min(across, down) : max(across, down)
    }
}
