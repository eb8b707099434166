// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import CropKit
import PipelineKit
import StillKit

/// The events of the cameras.
extension SessionController {
    func watchCameras() {
        for camera in cameras.all {
            tasks.add { [self] in for await event in camera.events { await handle(event, of: camera) } }
        }
    }

    private func handle(_ event: SessionCamera.Event, of camera: SessionCamera) {
        if let change = cameras.handle(event, of: camera) { handle(change) }
    }

    func handle(_ change: SessionCameras.Change) {
        switch change {
        case .ready(let role, let isNew):
            if isNew { learnLatency() }
            handle(.cameraReady(role))
        case .lost(let error): lose(error)
        case .gone(let error, let isNew):
            if isNew { lose(error) }
            // If no stage waits for a camera, the next use of this one comes here again.
            guard let stage = machine.stageWithoutCamera else { return }
            guard session.stages[stage].camera == nil, cameras.hasOther else { return conclude(.failed(error)) }
            handle(.switchCamera)
        }
    }

    private func lose(_ error: CaptureError) {
        screen.lose(error)
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
    func capture(_ taking: Taking) {
        guard let camera = cameras.current?.camera else {
            handle(.failed(picture: taking.number, .noCameraNow))
            return
        }
        pictureTasks.capture { [self] in await capture(taking, with: camera) }
    }

    func bring(_ taking: Taking) {
        guard let file = taking.file ?? nextOfLibrary(for: taking) else {
            handle(.failed(picture: taking.number, .emptyLibrary))
            return
        }
        pictureTasks.bring { [self] in await fetch(file, taking) }
    }

    private func nextOfLibrary(for taking: Taking) -> Taking.LibraryFile? {
        pictures.library.dequeue(for: taking.number).map { path in
            Taking.LibraryFile(path: path, adjustment: configuration.adjustment)
        }
    }

    private func capture(_ taking: Taking, with camera: SessionCamera) async {
        do throws(CaptureError) {
            guard !Task.isCancelled else { throw .calledOff }
            async let signalled = signal(taking)
            // A camera that is lost cancels the picture by its event.
            guard let shot = try await camera.capture(taking, of: session.stages[taking.stage]) else { return }
            try await keep(shot, signalled)
        } catch {
            fail(taking, error)
        }
    }

    private func fetch(_ file: Taking.LibraryFile, _ taking: Taking) async {
        var taking = taking
        taking.file = file
        do throws(CaptureError) {
            let picture = try await BlockingWork.run { () throws(CaptureError) in
                try LibraryPicture(path: file.path)
            }
            try await keep(SessionShot(picture: picture), taking)
        } catch {
            fail(taking, error)
        }
    }

    /// Signals the capture at zero; returns the picture with the gates' scores and the preview's geometry of that
    /// moment.
    private func signal(_ taking: Taking) async -> Taking {
        let left = taking.zero - PipelineClock.system.now
        if left > .zero { try? await Task.sleep(for: left, tolerance: .zero, clock: .suspending) }
        guard !Task.isCancelled, ending == nil else { return taking }
        var taking = taking
        (taking.scores, taking.geometry) = (gates.scores, screen.flash())
        chime.play(.shot)
        show()
        return taking
    }

    private func fail(_ taking: Taking, _ error: CaptureError) {
        // The caller that canceled the picture needs no report.
        guard !Task.isCancelled else { return }
        pictures.library.fail(taking.number)
        handle(.failed(picture: taking.number, error))
    }
}

/// Stores pictures: crops each if its stage requires that, writes it, and passes it to the machine.
extension SessionController {
    /// Stores a picture, and the crop that its stage requires. If only the crop fails, the whole picture is kept,
    /// unless it is rejected for a retake.
    private func keep(_ shot: SessionShot, _ taking: Taking) async throws(CaptureError) {
        let (stage, picture) = (session.stages[taking.stage], shot.picture)
        let (crop, failure) = await crop(shot, taking)
        try checkWanted()
        if let failure { try accept(failure, taking, isCropped: crop != nil) }
        pictures.keepsPicture(of: taking.stage)
        // The number of the picture must be on disk before the picture.
        await storage.settle()
        let (path, file) = try await add(
            picture.bytes, as: SessionFileName(stage.name, taking.number, picture.format), picture.width,
            picture.height)
        pictures.show(path, of: taking.number)
        var still = SessionStill(taking, shot, of: stage, file: file)
        if let crop { still.crop = await add(crop, of: still) }
        conclude(still)
    }

    private func crop(_ shot: SessionShot, _ taking: Taking) async -> (crop: CroppedStill?, failure: CaptureError?) {
        let stage = session.stages[taking.stage]
        guard stage.crop != .none, let outline = screen.outline(of: taking.stage), let cropper else {
            return (nil, nil)
        }
        return await cropper.crop(shot, taking, of: stage, along: outline)
    }

    /// Reports that a picture was not cropped as its stage requires. If `unrectified` is `retake`, throws for two
    /// captured pictures in a row, so that they are retaken. A library picture is kept, as it would fail again.
    ///
    /// - Parameter isCropped: `true` if the picture was cropped along the outline instead.
    private func accept(_ failure: CaptureError, _ taking: Taking, isCropped: Bool) throws(CaptureError) {
        let stage = session.stages[taking.stage]
        if stage.crop == .rectify, stage.unrectified == .retake, taking.geometry != nil,
            pictures.retakesUnrectified(in: taking.stage)
        {
            throw CaptureError(
                .temporary, failure.message, subject: stage.name,
                advice: failure.advice ?? "put it on a plain background of another brightness, and retake the picture")
        }
        let message = failure.message + (isCropped ? "; cropped to the outline" : "")
        emit(.notice(Notice(.cropFailed, message, subject: stage.name)))
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

    /// Stores the crop of a picture; returns `nil` if that fails.
    private func add(_ crop: CroppedStill, of still: SessionStill) async -> SessionCrop? {
        do throws(CaptureError) {
            let name = SessionFileName(still.stage, still.number, crop.format, isCrop: true)
            let (path, file) = try await add(crop.bytes, as: name, crop.width, crop.height)
            pictures.show(crop: path, of: still.number)
            return SessionCrop(file: file, corners: crop.corners, confidence: crop.confidence)
        } catch {
            // A canceled picture is released, and needs no crop.
            if error != .calledOff { emit(.notice(Notice(.cropFailed, error))) }
            return nil
        }
    }

    /// Hands a stored picture to the machine, which releases it if it was canceled. A picture that comes after the end
    /// is removed.
    private func conclude(_ still: SessionStill) {
        guard ending == nil else { return storage.remove([still]) }
        pictures.add(still)
        handle(.taken(picture: still.number))
    }
}

extension CaptureError {
    fileprivate static let noCameraNow = CaptureError(.noCamera, "no camera is available now", subject: "session")

    fileprivate static let emptyLibrary = CaptureError(
        .noInput, "no picture is left to bring in", subject: "library",
        advice: "give more with --library")
}
