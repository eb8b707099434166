// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The last drawing of a layer. It is a class, so that its identity distinguishes it from earlier drawings of the
/// layer.
final class DrawnLayer: Sendable {
    let request: RasterRequest
    let image: RasterImage
    let isGround: Bool
    private let finish: Finish

    init(_ request: RasterRequest, _ image: RasterImage, isGround: Bool, finish: Finish = .unchanged) {
        self.request = request
        self.image = image
        self.isGround = isGround
        self.finish = finish
    }

    /// Returns `true` if drawing with these values gives the same image again.
    func isDrawn(from request: RasterRequest, isGround: Bool, finish: Finish) -> Bool {
        self.request == request && self.isGround == isGround && self.finish == finish
    }
}

extension DrawnLayer {
    /// The change to an image after it was rasterized.
    enum Finish: Sendable, Hashable {
        case unchanged
        case mirrored
        /// Fills the frame outside the shape with a color. The opacity is in 0...1.
        case inverted(Color, opacity: Double)
    }
}

extension RasterImage {
    /// Returns the finished image.
    ///
    /// - Precondition: This image lies on the frame of the scene (``clipped(width:height:)``).
    func finished(_ finish: DrawnLayer.Finish, in scene: LayerScene) -> RasterImage {
        switch finish {
        case .unchanged: self
        case .mirrored: mirrored(width: scene.width)
        case .inverted(let color, let opacity):
            inverted(width: scene.width, height: scene.height, color: color, opacity: opacity)
        }
    }
}
