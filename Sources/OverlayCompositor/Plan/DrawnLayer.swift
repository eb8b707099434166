// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A layer as it was drawn last; a class, to be told apart from what the same layer was before.
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
