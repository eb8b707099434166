// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import StillKit

/// Maps places of the preview to places of the still and back. The maps are exact for each scale, letterbox, mirror and
/// orientation.
///
///     still   the frame, turned by its orientation, as any viewer shows it
///     preview the frame, scaled, with borders if width and height were both requested; turned as the still; mirrored
///
/// Layers are drawn on the turned and mirrored preview, so an outline's place counts as the viewer sees it. As in
/// `PixelPoint`, pixels are areas, and their centers are at halves.
public struct StillGeometry: Sendable, Hashable {
    /// The size of the still as a viewer shows it, in pixels.
    public let width: Int, height: Int
    /// The size of the preview, in pixels.
    public let previewWidth: Int, previewHeight: Int
    /// The rectangle of the preview that shows the picture; the rest is border.
    public let picture: PixelBox
    /// `true` if the preview is a mirror.
    public let isMirrored: Bool
    /// The map from the preview to the still.
    public let toStill: Homography
    /// The map from the still to the preview.
    public let toPreview: Homography

    /// Creates the geometry of a still without a preview: layers are placed on the still itself.
    public init(stillWidth width: Int, height: Int) {
        let preview = PreviewSize(width: width, height: height)
        self.init(
            width: width, height: height, preview: preview, picture: PixelBox(of: preview), isMirrored: false)
    }

    /// Creates the geometry of a frame and its preview.
    ///
    /// - Parameters:
    ///   - preview: The size of the turned preview.
    ///   - hasBorders: `true` if the preview can have borders, because the user requested its width and its height.
    package init(
        frame: FrameShape, preview: PreviewSize, hasBorders: Bool, isMirrored: Bool, orientation: Orientation
    ) {
        // The scaler works before the frame is turned.
        let scaled = preview.turned(by: orientation)
        let field = hasBorders ? frame.field(on: scaled) : PixelBox(of: scaled)
        let turn = Homography.turning(
            isMirrored ? orientation.then(.mirrored) : orientation, width: Double(scaled.width),
            height: Double(scaled.height))
        let isTurned = orientation.swapsAxes
        self.init(
            width: isTurned ? frame.height : frame.width, height: isTurned ? frame.width : frame.height,
            preview: preview, picture: field.mapped(turn), isMirrored: isMirrored)
    }

    /// Creates the geometry of a still that fills a rectangle of a preview.
    package init(width: Int, height: Int, preview: PreviewSize, picture: PixelBox, isMirrored: Bool) {
        (self.width, self.height, self.picture, self.isMirrored) = (width, height, picture, isMirrored)
        (previewWidth, previewHeight) = (preview.width, preview.height)
        let (across, down) = (Double(width) / picture.width, Double(height) / picture.height)
        let mirror = isMirrored ? Homography.mirroring(width: 2 * picture.x + picture.width) : .identity
        toStill = .scaling(across, down) * .moving(-picture.x, -picture.y) * mirror
        // Inverts each step instead of the product: the result is exact if the steps are.
        toPreview = mirror * .moving(picture.x, picture.y) * .scaling(1 / across, 1 / down)
    }

    /// Returns a rectangle of the preview, mapped to the still.
    public func stillBox(_ box: PixelBox) -> PixelBox { box.mapped(toStill) }

    /// Returns a rectangle of the still, mapped to the preview.
    public func previewBox(_ box: PixelBox) -> PixelBox { box.mapped(toPreview) }
}

extension PixelBox {
    /// Creates the box of a whole preview.
    init(of preview: PreviewSize) {
        self.init(x: 0, y: 0, width: Double(preview.width), height: Double(preview.height))
    }

    /// Returns the bounding box of the mapped corners: exact for maps that turn by multiples of 90 degrees.
    fileprivate func mapped(_ map: Homography) -> PixelBox { PixelBox(around: corners.mapped(map).corners) }
}

extension Homography {
    fileprivate static func mirroring(width: Double) -> Homography { Homography(SIMD3(-1, 0, width), SIMD3(0, 1, 0)) }

    /// Returns the map from a frame of this size to the frame as a viewer shows it.
    fileprivate static func turning(_ orientation: Orientation, width: Double, height: Double) -> Homography {
        let (right, left) = (SIMD3<Double>(1, 0, 0), SIMD3(-1, 0, width))
        let (down, up) = (SIMD3<Double>(0, 1, 0), SIMD3(0, -1, height))
        return switch orientation {
        case .upright: Homography(right, down)
        case .mirrored: Homography(left, down)
        case .upsideDown: Homography(left, up)
        case .flipped: Homography(right, up)
        case .transposed: Homography(down, right)
        case .turnedRight: Homography(up, right)
        case .transversed: Homography(up, left)
        case .turnedLeft: Homography(down, left)
        }
    }
}
