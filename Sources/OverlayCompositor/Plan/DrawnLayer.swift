// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The last drawing of a layer. It is a class, so that its identity distinguishes it from earlier drawings of the
/// layer.
final class DrawnLayer: Sendable {
    let request: RasterRequest
    let image: RasterImage
    let isGround: Bool
    let isMirrored: Bool

    init(_ request: RasterRequest, _ image: RasterImage, isGround: Bool, isMirrored: Bool = false) {
        self.request = request
        self.image = image
        self.isGround = isGround
        self.isMirrored = isMirrored
    }
}
