// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import OverlayCompositor
import StillKit

/// Crops the pictures of a session.
struct SessionCropper {
    /// The source of a crop: pixels, and their place under the outline.
    struct Source {
        /// The pixels before encoding; `nil` to decode the file.
        let pixels: StillPixels?
        /// The place of the picture on the preview; `nil` for a picture that was not previewed.
        let geometry: StillGeometry?
        let adjustment: CropAdjustment
    }

    let cropper: StillCropper
    /// The quality of JPEG crops, from 1 to 100.
    let quality: Int

    /// Crops a picture as its stage requires. If the edges of a card are not found, crops along the outline.
    ///
    /// - Returns: The crop, if there is one, and the error if it is not what the stage requires.
    func crop(
        _ picture: LibraryPicture, of stage: SessionStage, along outline: Outline, _ source: Source
    ) async -> (crop: CroppedStill?, failure: CaptureError?) {
        var request = CropRequest(outline)
        if source.geometry != nil { request.placement = SessionComposer.outlinePlacement }
        (request.isRectified, request.adjustment) = (stage.crop == .rectify, source.adjustment)
        request.quality = quality
        switch stage.corners {
        case .square: request.corners = .square
        case .rounded: request.corners = .rounded(ground: .white)
        case .masked: (request.corners, request.format) = (.masked, .png)
        }
        do throws(CaptureError) {
            let crop = try await cropper.crop(
                picture.bytes, picture.format, pixels: source.pixels, to: request, geometry: source.geometry)
            return (crop, nil)
        } catch {
            guard request.isRectified else { return (nil, error) }
            // A crop along the outline is better than none; the whole picture is stored as well.
            request.isRectified = false
            let crop = try? await cropper.crop(
                picture.bytes, picture.format, pixels: source.pixels, to: request, geometry: source.geometry)
            return (crop, error)
        }
    }
}
