// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import CropKit
import StillKit

/// Stores pictures: crops each if its stage requires that, saves it, and reports it.
extension SessionController {
    func keep(
        _ shot: SessionShot, _ number: Int, _ stage: Int, _ role: CameraRole, _ camera: SessionCamera
    ) async throws(CaptureError) {
        let (scores, geometry) = moment ?? (gates.scores(), screen.geometry)
        let picture = LibraryPicture(
            bytes: shot.bytes, format: shot.format, width: shot.still.width, height: shot.still.height)
        var still = try await store(
            picture, number, stage, CropSource(pixels: shot.pixels, geometry: geometry, adjustment: CropAdjustment()))
        (still.role, still.camera, still.gates) = (role, camera.id, scores)
        still.outline = session.stages[stage].outline.flatMap { name in geometry.map { SessionOutline(name, on: $0) } }
        (still.taken, still.offset) = (shot.still.captured.iso8601, shot.still.offset)
        (still.latency, still.bestOf, still.sharpness) = (shot.latency, shot.bestOf, shot.sharpness)
        (still.exposureTime, still.sensitivity) = (shot.exposure?.time, shot.exposure?.sensitivity)
        conclude(still)
    }

    func keep(
        _ picture: LibraryPicture, _ adjustment: CropAdjustment, _ number: Int, _ stage: Int
    ) async throws(CaptureError) {
        var still = try await store(
            picture, number, stage, CropSource(pixels: nil, geometry: nil, adjustment: adjustment))
        (still.origin, still.source) = (.library, picture.path)
        conclude(still)
    }

    /// Stores a picture, and the crop that its stage requires. If only the crop fails, the whole picture is kept,
    /// unless it is rejected for a retake.
    private func store(
        _ picture: LibraryPicture, _ number: Int, _ stage: Int, _ source: CropSource
    ) async throws(CaptureError) -> SessionStill {
        let name = session.stages[stage].name
        let (crop, failure) = await crop(picture, session.stages[stage], source)
        if let failure {
            try accept(failure, of: crop, stage, isTaken: source.geometry != nil)
        } else {
            unrectified[stage] = 0
        }
        // The number of the picture must be on disk before the picture.
        await storing.finish()
        let file = SessionFileName(name, number, picture.format).text
        let path = try await add(picture.bytes, as: file)
        (display.files[number], display.wholes[number]) = (path, path)
        var still = SessionStill(
            number: number, stage: name,
            file: SessionFileRecord(name: file, picture.bytes, width: picture.width, height: picture.height))
        guard let crop else { return still }
        let cropName = SessionFileName(name, number, crop.format, isCrop: true).text
        do throws(CaptureError) {
            display.files[number] = try await add(crop.bytes, as: cropName)
            still.crop = SessionCrop(
                file: SessionFileRecord(name: cropName, crop.bytes, width: crop.width, height: crop.height),
                corners: crop.corners, confidence: crop.confidence)
        } catch {
            emit(.notice(Notice(.cropFailed, error)))
        }
        return still
    }

    /// How many pictures without edges are retaken before one is kept.
    private static let mostUnrectified = 2

    /// Reports that a picture was not cropped as its stage requires. Throws for a captured picture whose card was not
    /// found, so that it is retaken. A library picture is kept, as it would fail again.
    private func accept(
        _ failure: CaptureError, of crop: CroppedStill?, _ stage: Int, isTaken: Bool
    ) throws(CaptureError) {
        let description = session.stages[stage]
        let isRectified = description.crop == .rectify
        if isRectified, description.unrectified == .retake, isTaken,
            unrectified[stage, default: 0] < Self.mostUnrectified
        {
            unrectified[stage, default: 0] += 1
            throw CaptureError(
                .temporary, failure.message, subject: description.name,
                advice: failure.advice ?? "put it on a plain background of another brightness, and retake the picture")
        }
        unrectified[stage] = 0
        let message = failure.message + (isRectified ? "; cropped to the outline" : "")
        emit(.notice(Notice(.cropFailed, message, subject: description.name)))
    }

    /// Stores a file, unless the picture was canceled meanwhile.
    private func add(_ bytes: [UInt8], as name: String) async throws(CaptureError) -> String {
        guard !Task.isCancelled, ending == nil else { throw .calledOff }
        return try await folder.add(bytes, as: name)
    }

    /// Hands a stored picture to the machine, which releases it if it was canceled.
    private func conclude(_ still: SessionStill) {
        stills[still.number] = still
        handle(.taken(picture: still.number))
    }

    private func crop(
        _ picture: LibraryPicture, _ stage: SessionStage, _ source: CropSource
    ) async -> (crop: CroppedStill?, failure: CaptureError?) {
        guard stage.crop != .none, let outline = display.outlines[stage.outline ?? ""], let cropper else {
            return (nil, nil)
        }
        var request = CropRequest(outline)
        if source.geometry != nil { request.placement = SessionComposer.outlinePlacement }
        (request.isRectified, request.adjustment) = (stage.crop == .rectify, source.adjustment)
        request.quality = configuration.cropQuality
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

/// The source of a crop: pixels, and their place under the outline.
private struct CropSource {
    /// The pixels before encoding; `nil` to decode the file.
    let pixels: StillPixels?
    /// The place of the picture on the preview; `nil` for a picture that was not previewed.
    let geometry: StillGeometry?
    let adjustment: CropAdjustment
}
