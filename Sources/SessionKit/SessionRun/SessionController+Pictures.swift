// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CropKit

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

extension CaptureError {
    fileprivate static let noCameraNow = CaptureError(.noCamera, "no camera is available now", subject: "session")

    fileprivate static let emptyLibrary = CaptureError(
        .noInput, "no picture is left to bring in", subject: "library",
        advice: "give more with --library")
}
