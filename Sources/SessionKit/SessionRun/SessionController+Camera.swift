// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit

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
            watches.append(Task { for await event in camera.events { handle(event, of: camera) } })
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
        Task { handle(.latency(await camera.lead(bestOf: count))) }
    }
}
