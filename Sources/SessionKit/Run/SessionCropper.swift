// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import OverlayCompositor

/// Crops the pictures of a session.
struct SessionCropper {
    private let cropper: StillCropper
    /// The quality of JPEG crops, from 1 to 100.
    private let quality: Int

    init(_ cropper: StillCropper, quality: Int) { (self.cropper, self.quality) = (cropper, quality) }

    /// Crops a picture as its stage requires. If a crop along the edges of a card fails, crops along the outline.
    ///
    /// - Returns: The crop, and the error if the crop that the stage requires failed. With an error, the crop follows
    ///   the outline, or is `nil`.
    func crop(
        _ shot: SessionShot, _ taking: Taking, of stage: SessionStage, along outline: Outline
    ) async -> (crop: CroppedStill?, failure: CaptureError?) {
        var shot = shot
        var request = CropRequest(outline)
        if taking.geometry != nil { request.placement = SessionComposer.outlinePlacement }
        (request.isRectified, request.quality) = (stage.crop == .rectify, quality)
        request.printWidth = stage.printWidth.map(Double.init)
        request.adjustment = taking.file?.adjustment ?? CropAdjustment()
        switch stage.corners {
        case .square: request.corners = .square
        case .rounded: request.corners = .rounded(ground: .white)
        case .masked: (request.corners, request.format) = (.masked, .png)
        }
        do throws(CaptureError) {
            // A frame of a camera may have damaged parts; a picture that was brought in has its pixels already.
            if shot.pixels == nil {
                shot.pixels = try await StillCoding.pixels(
                    of: shot.picture.bytes, shot.picture.format, isStrict: false)
            }
            return (try await crop(shot, taking, to: request), nil)
        } catch {
            guard request.isRectified else { return (nil, error) }
            // A crop along the outline is better than none; the whole picture is stored as well.
            request.isRectified = false
            return (try? await crop(shot, taking, to: request), error)
        }
    }

    private func crop(
        _ shot: SessionShot, _ taking: Taking, to request: CropRequest
    ) async throws(CaptureError) -> CroppedStill {
        try await cropper.crop(
            shot.picture.bytes, shot.picture.format, pixels: shot.pixels, to: request, geometry: taking.geometry)
    }
}
