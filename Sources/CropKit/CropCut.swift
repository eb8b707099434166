// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import FrameMeasures
import OverlayCompositor
import StillKit

/// The part of a picture that a crop takes, in pixels.
struct CropCut {
    /// The size of the crop.
    let width: Int, height: Int
    /// The map from the crop to the picture.
    let toPicture: Homography
    /// The confidence of the card's edges; `nil` if they were not searched for.
    let confidence: Double?
    /// The box of whole pixels that is copied unchanged; `nil` if the crop has to interpolate.
    private let wholePixels: (x: Int, y: Int, width: Int, height: Int)?
    private let corners: CropCorners
    private let shape: OutlineShape
    /// The map from the crop to the preview, on which the shape is drawn.
    private let toShape: Homography

    /// - Throws: ``CaptureError`` if the shape or the adjusted crop lies outside the picture, or the card's edges are
    ///   not certain.
    init(
        _ request: CropRequest, _ shape: OutlineShape, _ geometry: StillGeometry, _ picture: StillPixels
    ) throws(CaptureError) {
        let box = geometry.stillBox(shape.box)
        guard let whole = box.wholePixels(in: picture.width, picture.height) else {
            throw CaptureError(
                .configuration, "lies outside the picture", subject: request.outline.name,
                advice: "give it another position or size")
        }
        self.shape = shape
        corners = request.corners
        let adjustment = request.adjustment.toPicture(under: box)
        if request.isRectified {
            let expected = box.corners.mapped(adjustment)
            let edges = try CardEdges.find(
                in: picture.luma, near: expected, aspect: box.width / box.height)
            (width, height) = edges.size(aspect: box.width / box.height)
            toPicture = try Self.map(width, height, edges.corners)
            confidence = edges.confidence
            wholePixels = nil
        } else if request.adjustment.isIdentity {
            (width, height) = (whole.width, whole.height)
            toPicture = .moving(Double(whole.x), Double(whole.y))
            confidence = nil
            wholePixels = whole
        } else {
            (width, height) = Self.size(
                box.width / request.adjustment.zoom, box.height / request.adjustment.zoom,
                most: picture.width * picture.height)
            toPicture = try adjustment * Self.map(width, height, box.corners)
            confidence = nil
            wholePixels = nil
        }
        // Maps the crop to the exact box of the shape, so that the shape fills the crop despite its whole pixels.
        toShape = try geometry.toPreview * Self.map(width, height, box.corners)
        guard places.overlaps(width: picture.width, height: picture.height) else {
            throw CaptureError(
                .usage, "is moved off its outline, so the crop would be empty",
                subject: StillCropper.stillSubject, advice: "move it less")
        }
    }

    /// The corners of the crop in the picture.
    var places: Quadrilateral {
        PixelBox(x: 0, y: 0, width: Double(width), height: Double(height)).corners.mapped(toPicture)
    }

    /// Cuts the crop for a file of this format. Pixels beside the picture are black if corners are square. Otherwise
    /// they are as those outside of the shape.
    func apply(to picture: StillPixels, for format: StillFormat) -> StillPixels {
        let outside = SIMD4<UInt8>(0, 0, 0, corners == .square ? 255 : 0)
        var crop =
            wholePixels.map { picture.part($0) }
            ?? picture.warped(width: width, height: height, by: toPicture, outside: outside)
        if corners != .square { crop.mask { shape.coverage(at: toShape($0)) } }
        if let ground = corners.ground(in: format) { crop.flatten(on: SIMD4(ground)) }
        return crop
    }

    /// The longest side of an adjusted crop, in pixels.
    private static let mostSide = 16_384.0

    /// Returns the size of a crop of that many pixels of the picture; smaller, in the same proportions, if it would
    /// exceed ``mostSide`` or have more pixels than the picture: a small file must not become a huge crop.
    private static func size(_ across: Double, _ down: Double, most: Int) -> (width: Int, height: Int) {
        let factor = min(1, mostSide / max(across, down), (Double(most) / (across * down)).squareRoot())
        func length(_ pixels: Double) -> Int {
            let whole = factor < 1 ? (pixels * factor).rounded(.down) : pixels.rounded()
            return Int(min(max(1, whole), mostSide))
        }
        return (length(across), length(down))
    }

    private static func map(_ width: Int, _ height: Int, _ corners: Quadrilateral) throws(CaptureError) -> Homography {
        let crop = PixelBox(x: 0, y: 0, width: Double(width), height: Double(height))
        guard let map = Homography(from: crop.corners, to: corners) else {
            throw CaptureError(.software, "the corners of a crop lie on a line")
        }
        return map
    }
}

extension SIMD4<UInt8> {
    fileprivate init(_ color: Color) {
        func byte(_ share: Double) -> UInt8 { UInt8((share * 255).rounded()) }
        self.init(byte(color.red), byte(color.green), byte(color.blue), 255)
    }
}
