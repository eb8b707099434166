// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// What of the preview is what of the still: exact, for each scale, letterbox, mirror and orientation.
///
///     still   the frame, turned and mirrored by its orientation, as any viewer shows it
///     preview the frame, scaled; with borders where width and height were both asked for; then mirrored
///
/// What is drawn on the preview is drawn behind the mirror, so an outline's place counts as it is seen. Places count as
/// ``PixelPoint`` says: pixels are areas, and their centres are at halves.
public struct StillGeometry: Sendable, Hashable {
    /// The size of the still as it is shown, in pixels.
    public let width: Int, height: Int
    /// The size of the preview, in pixels.
    public let previewWidth: Int, previewHeight: Int
    /// Where the picture lies on the preview; the rest is border.
    public let picture: PixelBox
    /// From the preview to the still.
    public let toStill: Homography
    /// From the still to the preview.
    public let toPreview: Homography

    /// A still without a preview: what is drawn on it counts in its own pixels.
    public init(stillWidth width: Int, height: Int) {
        self.init(
            frame: FrameShape(width: width, height: height), preview: PreviewSize(width: width, height: height),
            hasBorders: false, isMirrored: false, orientation: .upright)
    }

    /// A still beside a preview.
    ///
    /// - Parameters:
    ///   - info: The format of the frames, as they come from the camera or its decoder.
    ///   - request: What the preview was asked to be.
    ///   - orientation: Of the still; the preview shows the frame as the camera gives it.
    public init(of info: VideoInfo, _ request: PreviewRequest, _ orientation: Orientation) {
        self.init(
            frame: FrameShape(info), preview: PreviewSize(of: info, request),
            hasBorders: request.width != nil && request.height != nil, isMirrored: request.isMirrored,
            orientation: orientation)
    }

    init(
        frame: FrameShape, preview: PreviewSize, hasBorders: Bool, isMirrored: Bool, orientation: Orientation
    ) {
        (width, height) = orientation.swapsAxes ? (frame.height, frame.width) : (frame.width, frame.height)
        (previewWidth, previewHeight) = (preview.width, preview.height)
        let field = hasBorders ? frame.field(on: preview) : frame.whole(preview)
        let (across, down) = (Double(frame.width) / field.width, Double(frame.height) / field.height)
        let mirror = isMirrored ? Homography.mirroring(width: Double(preview.width)) : .identity
        let turn = Homography.turning(orientation, width: Double(frame.width), height: Double(frame.height))
        toStill = turn * .scaling(across, down) * .moving(-field.x, -field.y) * mirror
        // Each of the steps, backwards: exact where they are, other than the inverse of their product.
        let turnBack = turn.inverse ?? .identity
        toPreview = mirror * .moving(field.x, field.y) * .scaling(1 / across, 1 / down) * turnBack
        picture = isMirrored ? field.mapped(mirror) : field
    }

    /// A rectangle of the preview, on the still.
    public func stillBox(_ box: PixelBox) -> PixelBox { box.mapped(toStill) }

    /// A rectangle of the still, on the preview.
    public func previewBox(_ box: PixelBox) -> PixelBox { box.mapped(toPreview) }
}

extension PixelBox {
    /// The box of its corners: exact for maps that turn by quarters.
    fileprivate func mapped(_ map: Homography) -> PixelBox { PixelBox(around: corners.mapped(map).corners) }
}

extension Homography {
    fileprivate static func mirroring(width: Double) -> Homography { Homography(SIMD3(-1, 0, width), SIMD3(0, 1, 0)) }

    /// From a frame of this size to how it is shown.
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
