// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import CropKit
import StillKit

/// The cameras: which one is shown, and how losses are handled.
extension SessionController {
    /// Shows the camera of a role, which is ready at once if it already delivers.
    func use(_ role: CameraRole) {
        switch cameras.use(role) {
        case .nothing: break
        case .same(let camera, let isReady, let error):
            if isReady { handle(.cameraReady(role)) }
            if let error { giveUp(error, camera) }
        case .other(let camera, let former):
            // The last frame is shown until the new camera delivers.
            addSwitch { [self] in
                await former?.rest()
                if former != nil { screen.hold(because: "switching cameras") }
                await camera.open()
            }
        }
    }

    func watchCameras() {
        for camera in cameras.all {
            tasks.add { [self] in for await event in camera.events { await handle(event, of: camera) } }
        }
    }

    /// Handles an event of the shown camera; ignores events of other cameras.
    private func handle(_ event: SessionCamera.Event, of camera: SessionCamera) {
        guard let role = cameras.role(of: camera) else { return }
        switch event {
        case .opening(let pipeline): emit(.opening(camera: camera.id, role, pipeline: pipeline))
        case .ready:
            cameras.setReady()
            emit(.camera(camera.id, role))
            learnLatency()
            handle(.cameraReady(role))
        case .stalled:
            emit(.notice(Notice(.cameraStalled, about: camera.id, "no frame for a while; waiting for the camera")))
        case .lost(let error): lose(error)
        case .recovered: emit(.recovered)
        case .gone(let error): giveUp(error, camera)
        case .notice(let notice): emit(.notice(notice))
        }
    }

    /// Handles the final loss of a camera. If a stage waits for one, switches to the other camera if the stage takes
    /// any, and otherwise ends the session with the error. If no stage waits, ``use(_:)`` handles the loss later.
    private func giveUp(_ error: CaptureError, _ camera: SessionCamera) {
        if cameras.giveUp(camera, error) { lose(error) }
        guard let stage = machine.stageWithoutCamera else { return }
        guard session.stages[stage].camera == nil, cameras.hasOther else { return conclude(.failed(error)) }
        handle(.switchCamera)
    }

    private func lose(_ error: CaptureError) {
        screen.hold(because: error.summary)
        display.setNotice(error.summary, isLasting: true)
        if cameras.lose(error) { emit(.lost(error)) }
        handle(.cameraLost)
    }

    /// Updates the latency. Pictures chosen from several frames must be requested earlier.
    func learnLatency() {
        guard let camera = cameras.current?.camera else { return }
        let count = stageInHand.map { session.stages[$0].bestOf } ?? 1
        tasks.add { [self] in await handle(.latency(camera.lead(bestOf: count))) }
    }
}

/// Pictures that a camera captures, or that a library provides.
extension SessionController {
    func capture(_ number: Int, _ stage: Int, _ zero: ClockTime) {
        guard let (camera, role, _) = cameras.current else {
            handle(.failed(picture: number, .noCameraNow))
            return
        }
        pictures.moment = nil
        pictureTasks.capture(at: zero) { [self] in
            await signalCapture()
        } _: { [self] in
            await captureShot(number, stage, zero, role, camera)
        }
    }

    func bring(_ number: Int, _ stage: Int, _ wanted: SessionPictures.Wanted?) {
        guard let (path, adjustment) = wanted ?? nextOfLibrary(number) else {
            handle(.failed(picture: number, .emptyLibrary))
            return
        }
        pictureTasks.bring { [self] in await fetch(path, adjustment, number, stage) }
    }

    private func captureShot(
        _ number: Int, _ stage: Int, _ zero: ClockTime, _ role: CameraRole, _ camera: SessionCamera
    ) async {
        do throws(CaptureError) {
            guard !Task.isCancelled else { throw .calledOff }
            let stages = session.stages
            let shot = try await camera.capture(
                zero, number: number, bestOf: stages[stage].bestOf, isCropped: stages[stage].crop != .none)
            // A camera that is lost cancels the picture by its event.
            if let shot { try await keep(shot, number, stage, role, camera) }
        } catch {
            fail(number, error)
        }
    }

    private func fetch(_ path: String, _ adjustment: CropAdjustment, _ number: Int, _ stage: Int) async {
        do throws(CaptureError) {
            let picture = try await BlockingWork.run { () throws(CaptureError) in try LibraryPicture(path: path) }
            try await keep(picture, adjustment, number, stage)
        } catch {
            fail(number, error)
        }
    }

    /// Signals the capture at zero, and keeps the gates' scores and the preview's geometry of that moment for the
    /// picture.
    private func signalCapture() {
        guard !Task.isCancelled, ending == nil else { return }
        pictures.moment = (gates.scores(), screen.geometry)
        screen.flash()
        chime.play(.shot)
        display.countdown = nil
        show()
    }

    private func nextOfLibrary(_ number: Int) -> SessionPictures.Wanted? {
        pictures.library.dequeue(for: number).map { ($0, configuration.adjustment) }
    }

    private func fail(_ number: Int, _ error: CaptureError) {
        // The caller that canceled the picture needs no report.
        guard !Task.isCancelled else { return }
        pictureTasks.cancelSignal()
        pictures.library.fail(number)
        handle(.failed(picture: number, error))
    }
}

/// Stores pictures: crops each if its stage requires that, writes it, and passes it to the machine.
extension SessionController {
    private func keep(
        _ shot: SessionShot, _ number: Int, _ stage: Int, _ role: CameraRole, _ camera: SessionCamera
    ) async throws(CaptureError) {
        let (scores, geometry) = pictures.moment ?? (gates.scores(), screen.geometry)
        let picture = LibraryPicture(
            bytes: shot.bytes, format: shot.format, width: shot.still.width, height: shot.still.height)
        var still = try await store(
            picture, number, stage,
            SessionCropper.Source(pixels: shot.pixels, geometry: geometry, adjustment: CropAdjustment()))
        (still.role, still.camera, still.gates) = (role, camera.id, scores)
        still.outline = session.stages[stage].outline.flatMap { name in geometry.map { SessionOutline(name, on: $0) } }
        (still.taken, still.offset) = (shot.still.captured.iso8601, shot.still.offset)
        (still.latency, still.bestOf, still.sharpness) = (shot.latency, shot.bestOf, shot.sharpness)
        (still.exposureTime, still.sensitivity) = (shot.exposure?.time, shot.exposure?.sensitivity)
        conclude(still)
    }

    private func keep(
        _ picture: LibraryPicture, _ adjustment: CropAdjustment, _ number: Int, _ stage: Int
    ) async throws(CaptureError) {
        var still = try await store(
            picture, number, stage, SessionCropper.Source(pixels: nil, geometry: nil, adjustment: adjustment))
        (still.origin, still.source) = (.library, picture.path)
        conclude(still)
    }

    /// Stores a picture, and the crop that its stage requires. If only the crop fails, the whole picture is kept,
    /// unless it is rejected for a retake.
    private func store(
        _ picture: LibraryPicture, _ number: Int, _ stage: Int, _ source: SessionCropper.Source
    ) async throws(CaptureError) -> SessionStill {
        let name = session.stages[stage].name
        let (crop, failure) = await crop(picture, session.stages[stage], source)
        try checkWanted()
        if let failure { try accept(failure, stage, isTaken: source.geometry != nil, isCropped: crop != nil) }
        pictures.keepsPicture(of: stage)
        // The number of the picture must be on disk before the picture.
        await storage.settle()
        let (path, file) = try await add(
            picture.bytes, as: SessionFileName(name, number, picture.format), picture.width, picture.height)
        pictures.show(path, of: number)
        var still = SessionStill(number: number, stage: name, file: file)
        guard let crop else { return still }
        do throws(CaptureError) {
            let (path, file) = try await add(
                crop.bytes, as: SessionFileName(name, number, crop.format, isCrop: true), crop.width, crop.height)
            pictures.show(crop: path, of: number)
            still.crop = SessionCrop(file: file, corners: crop.corners, confidence: crop.confidence)
        } catch {
            // A canceled picture is released, and needs no crop.
            if error != .calledOff { emit(.notice(Notice(.cropFailed, error))) }
        }
        return still
    }

    /// Reports that a picture was not cropped as its stage requires. If `unrectified` is `retake`, throws for two
    /// captured pictures in a row, so that they are retaken. A library picture is kept, as it would fail again.
    ///
    /// - Parameter isCropped: `true` if the picture was cropped along the outline instead.
    private func accept(_ failure: CaptureError, _ stage: Int, isTaken: Bool, isCropped: Bool) throws(CaptureError) {
        let description = session.stages[stage]
        if description.crop == .rectify, description.unrectified == .retake, isTaken,
            pictures.retakesUnrectified(in: stage)
        {
            throw CaptureError(
                .temporary, failure.message, subject: description.name,
                advice: failure.advice ?? "put it on a plain background of another brightness, and retake the picture")
        }
        let message = failure.message + (isCropped ? "; cropped to the outline" : "")
        emit(.notice(Notice(.cropFailed, message, subject: description.name)))
    }

    /// Checks that the picture was not canceled meanwhile.
    private func checkWanted() throws(CaptureError) {
        guard !Task.isCancelled, ending == nil else { throw .calledOff }
    }

    /// Stores a file, unless the picture was canceled meanwhile.
    private func add(
        _ bytes: [UInt8], as name: SessionFileName, _ width: Int, _ height: Int
    ) async throws(CaptureError) -> (path: String, file: SessionFileRecord) {
        try checkWanted()
        return try await storage.add(bytes, as: name.text, width: width, height: height)
    }

    /// Hands a stored picture to the machine, which releases it if it was canceled. A picture that comes after the end
    /// is removed.
    private func conclude(_ still: SessionStill) {
        guard ending == nil else { return storage.remove([still]) }
        pictures.add(still)
        handle(.taken(picture: still.number))
    }

    private func crop(
        _ picture: LibraryPicture, _ stage: SessionStage, _ source: SessionCropper.Source
    ) async -> (crop: CroppedStill?, failure: CaptureError?) {
        guard stage.crop != .none, let outline = display.outlines[stage.outline ?? ""], let cropper else {
            return (nil, nil)
        }
        return await cropper.crop(picture, of: stage, along: outline, source)
    }
}

extension CaptureError {
    fileprivate static let noCameraNow = CaptureError(.noCamera, "no camera is available now", subject: "session")

    fileprivate static let emptyLibrary = CaptureError(
        .noInput, "no picture is left to bring in", subject: "library",
        advice: "give more with --library")
}
