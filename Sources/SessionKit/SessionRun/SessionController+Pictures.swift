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
        guard let camera = cameras[role] ?? cameras[role.other] else { return }
        if let current, current.camera === camera {
            self.current = (camera, role, current.isReady)
            if current.isReady { handle(.cameraReady(role)) }
            if let error = gone[ObjectIdentifier(camera)] { giveUp(error, camera) }
            return
        }
        let former = current?.camera
        current = (camera, role, false)
        // One after the other: the cameras may share a resource that only one can have. The last frame is shown until
        // the new camera delivers.
        switching.add { [self] in
            await former?.rest()
            if former != nil { screen.hold(because: "switching cameras") }
            await camera.open()
        }
    }

    func watchCameras() {
        for camera in cameras.values {
            tasks.add { [self] in for await event in camera.events { await handle(event, of: camera) } }
        }
    }

    /// Handles an event of the shown camera; ignores events of other cameras.
    private func handle(_ event: SessionCamera.Event, of camera: SessionCamera) {
        guard let current, current.camera === camera else { return }
        switch event {
        case .opening(let pipeline): emit(.opening(camera: camera.id, current.role, pipeline: pipeline))
        case .ready:
            self.current?.isReady = true
            emit(.camera(camera.id, current.role))
            learnLatency()
            handle(.cameraReady(current.role))
        case .stalled:
            emit(.notice(Notice(.cameraStalled, about: camera.id, "no frame for a while; waiting for the camera")))
        case .lost(let error): lose(error)
        case .recovered: emit(.recovered)
        case .gone(let error): giveUp(error, camera)
        case .notice(let notice): emit(.notice(notice))
        }
    }

    /// Handles a camera that is lost for good. If the stage takes any camera and there is another, switches to that
    /// one. If no stage waits for a camera, ``use(_:)`` handles the loss when one does.
    private func giveUp(_ error: CaptureError, _ camera: SessionCamera) {
        if gone.updateValue(error, forKey: ObjectIdentifier(camera)) == nil { lose(error) }
        guard let stage = machine.stageWithoutCamera else { return }
        let hasOther = cameras.values.contains { gone[ObjectIdentifier($0)] == nil }
        guard session.stages[stage].camera == nil, hasOther else { return conclude(.failed(error)) }
        handle(.switchCamera)
    }

    func lose(_ error: CaptureError) {
        current?.isReady = false
        screen.hold(because: error.summary)
        display.setNotice(error.summary, isLasting: true)
        emit(.lost(error))
        handle(.cameraLost)
    }

    /// Updates the latency. Pictures chosen from several frames must be requested earlier.
    func learnLatency() {
        guard let camera = current?.camera else { return }
        let count = stageInHand.map { session.stages[$0].bestOf } ?? 1
        tasks.add { [self] in await handle(.latency(camera.lead(bestOf: count))) }
    }
}

/// Pictures that a camera captures, or that a library provides.
extension SessionController {
    func capture(_ number: Int, _ stage: Int, _ zero: ClockTime) {
        guard let (camera, role, _) = current else {
            handle(.failed(picture: number, .noCameraNow))
            return
        }
        moment = nil
        flash.set(zero) { [self] in await signalCapture(camera) }
        taking.add { [self] in await captureShot(number, stage, zero, role, camera) }
    }

    func bring(_ number: Int, _ stage: Int) {
        guard let (path, adjustment) = wanted ?? nextOfLibrary(number) else {
            handle(.failed(picture: number, .emptyLibrary))
            return
        }
        bringing.add { [self] in await fetch(path, adjustment, number, stage) }
    }

    private func captureShot(
        _ number: Int, _ stage: Int, _ zero: ClockTime, _ role: CameraRole, _ camera: SessionCamera
    ) async {
        do throws(CaptureError) {
            guard !Task.isCancelled else { throw .calledOff }
            let stages = session.stages
            switch try await camera.capture(
                zero, number: number, bestOf: stages[stage].bestOf, isCropped: stages[stage].crop != .none)
            {
            case .shot(let shot): try await keep(shot, number, stage, role, camera)
            case .lost(let error): miss(number, error, camera)
            }
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

    /// Cancels the pending picture; if it comes anyway, the machine releases it.
    func callOff() {
        flash.cancel()
        taking.cancelLast()
        bringing.cancelLast()
    }

    /// Signals the capture at zero, and keeps the gates' scores and the preview's geometry of that moment for the
    /// picture.
    private func signalCapture(_ camera: SessionCamera) {
        guard !Task.isCancelled, ending == nil else { return }
        moment = (gates.scores(), screen.geometry)
        screen.flash()
        chime.play(.shot)
        display.countdown = nil
        show()
    }

    private func nextOfLibrary(_ number: Int) -> Wanted? {
        library.dequeue(for: number).map { ($0, configuration.adjustment) }
    }

    private func fail(_ number: Int, _ error: CaptureError) {
        // The caller that canceled the picture needs no report.
        guard !Task.isCancelled else { return }
        flash.cancel()
        library.fail(number)
        handle(.failed(picture: number, error))
    }

    /// Handles a camera that delivered no frame for a picture. It counts as lost even if it has not reported that yet;
    /// the stage resumes when it is back.
    private func miss(_ number: Int, _ error: CaptureError, _ camera: SessionCamera) {
        guard !Task.isCancelled else { return }
        flash.cancel()
        if let current, current.camera === camera, current.isReady { return lose(error) }
        handle(.failed(picture: number, error))
    }
}

/// Stores pictures: crops each if its stage requires that, saves it, and reports it.
extension SessionController {
    func keep(
        _ shot: SessionShot, _ number: Int, _ stage: Int, _ role: CameraRole, _ camera: SessionCamera
    ) async throws(CaptureError) {
        let (scores, geometry) = moment ?? (gates.scores(), screen.geometry)
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

    func keep(
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
        if let failure {
            try accept(failure, of: crop, stage, isTaken: source.geometry != nil)
        } else {
            unrectified[stage] = 0
        }
        // The number of the picture must be on disk before the picture.
        await storage.settle()
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
        return try await storage.add(bytes, as: name)
    }

    /// Hands a stored picture to the machine, which releases it if it was canceled.
    private func conclude(_ still: SessionStill) {
        stills[still.number] = still
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
