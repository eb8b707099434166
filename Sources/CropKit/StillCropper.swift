// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor
import StillKit

/// Crops stills to outlines, at their full size.
///
///     let cropper = StillCropper(rasterizer)
///     let crop = try await cropper.crop(jpeg, .jpeg, to: CropRequest(card))
///
/// A crop that is neither rectified nor adjusted copies the nearest whole pixels, without interpolation.
public struct StillCropper: Sendable {
    /// The subject of errors about the still: only the caller knows the still's source.
    public static let stillSubject = PictureFile.subject

    private let planner: OverlayPlanner

    /// Creates a cropper.
    ///
    /// - Parameter rasterizer: The rasterizer that draws the outline's shape.
    public init(_ rasterizer: any Rasterizer) { planner = OverlayPlanner(rasterizer) }

    /// Crops a still.
    ///
    /// - Parameters:
    ///   - still: A JPEG or PNG file.
    ///   - format: The format of the still, JPEG or PNG.
    ///   - request: The requested crop.
    ///   - geometry: The place of the still on the preview that showed the outline; `nil` if the outline is placed on
    ///     the still itself.
    ///   - metadata: The tags of the crop; the cropper sets size and orientation. `nil` for the tags of the still,
    ///     which are left out if they are too long for the format.
    /// - Throws: `CaptureError` with ``stillSubject`` as its subject if the still is damaged, has another size than
    ///   the geometry, or is moved off the outline, or if the card's edges are not certain. `CaptureError` also if the
    ///   adjustment is out of range, if the outline cannot be drawn or lies off the picture, or if the format has no
    ///   transparency for masked corners.
    public func crop(
        _ still: [UInt8], _ format: StillFormat, to request: CropRequest, geometry: StillGeometry? = nil,
        metadata: StillMetadata? = nil
    ) async throws(CaptureError) -> CroppedStill {
        try await crop(still, format, pixels: nil, to: request, geometry: geometry, metadata: metadata)
    }

    /// Crops a still whose pixels the caller has from before it was encoded.
    ///
    /// - Parameter pixels: The upright pixels; `nil` to decode the still.
    package func crop(
        _ still: [UInt8], _ format: StillFormat, pixels: StillPixels?, to request: CropRequest,
        geometry: StillGeometry?, metadata: StillMetadata? = nil
    ) async throws(CaptureError) -> CroppedStill {
        try request.adjustment.check()
        let result = request.format ?? format
        try request.corners.check(result)
        let tags = ExifBlock(ofFile: still, format)
        let (crop, cut, memory) = try await cut(still, format, tags, pixels, request, geometry, for: result)
        defer { withExtendedLifetime(memory) {} }
        let bytes = try await StillCoding.encode(crop, result, quality: request.quality)
        return CroppedStill(
            bytes: try Self.finished(bytes, result, crop, tags, metadata, request), format: result, width: crop.width,
            height: crop.height, corners: cut.places, confidence: cut.confidence)
    }

    /// Decodes a still unless the caller has its pixels, and cuts the crop out. The pixels are released at its end.
    ///
    /// - Returns: The crop, its geometry, and the memory that is reserved for it.
    private func cut(
        _ still: [UInt8], _ format: StillFormat, _ tags: ExifBlock?, _ pixels: StillPixels?, _ request: CropRequest,
        _ geometry: StillGeometry?, for result: StillFormat
    ) async throws(CaptureError) -> (StillPixels, CropCut, DecodingMemory.Claim?) {
        let picture: StillPixels
        if let pixels {
            picture = pixels
        } else {
            picture = try await StillCoding.decode(still, format, tags?.orientation ?? .upright)
        }
        let geometry = geometry ?? StillGeometry(stillWidth: picture.width, height: picture.height)
        guard (geometry.width, geometry.height) == (picture.width, picture.height) else {
            throw CaptureError(
                .usage,
                "has \(picture.width)x\(picture.height) pixels, but its preview was made for"
                    + " \(geometry.width)x\(geometry.height)", subject: Self.stillSubject)
        }
        let shape = try await OutlineShape(of: request.outline, request.placement, on: geometry, by: planner)
        let (crop, cut) = try await BlockingWork.run { () throws(CaptureError) in
            let cut = try CropCut(request, shape, geometry, picture)
            return (cut.apply(to: picture, for: result), cut)
        }
        return (crop, cut, picture.memory)
    }

    /// Returns the file with its tags, and with its density if the request has a width in print.
    private static func finished(
        _ bytes: [UInt8], _ format: StillFormat, _ crop: StillPixels, _ tags: ExifBlock?, _ metadata: StillMetadata?,
        _ request: CropRequest
    ) throws(CaptureError) -> [UInt8] {
        guard let width = request.printWidth, width > 0 else {
            return try tagged(bytes, format, crop, tags, metadata)
        }
        let density = PrintDensity(width: crop.width, millimeters: width)
        var tags = tags
        tags?.describe(dotsPerMeter: density.dotsPerMeter)
        return try density.written(in: try tagged(bytes, format, crop, tags, metadata), format)
    }

    private static func tagged(
        _ bytes: [UInt8], _ format: StillFormat, _ crop: StillPixels, _ tags: ExifBlock?, _ metadata: StillMetadata?
    ) throws(CaptureError) -> [UInt8] {
        if var metadata {
            (metadata.width, metadata.height, metadata.orientation) = (crop.width, crop.height, .upright)
            return try metadata.embedded(in: bytes, format)
        }
        guard var tags, tags.fits(format) else { return bytes }
        tags.describe(width: crop.width, height: crop.height)
        return try ExifEmbedding(tags.bytes, width: crop.width, height: crop.height).embedded(in: bytes, format)
    }
}
