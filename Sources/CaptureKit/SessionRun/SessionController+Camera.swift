// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Cameras: which is shown, and what becomes of it.
extension SessionController {
    /// Shows the camera of a role. One that is there already is ready at once.
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
        // One after the other: they may share what only one can have. Until the other delivers, the last frame is shown.
        switching.add { [self] in
            await former?.rest()
            if former != nil { screen.hold(because: "the other camera comes") }
            await camera.open()
        }
    }

    func watchCameras() {
        for camera in cameras.values {
            watches.append(Task { for await happening in camera.happenings { take(happening, of: camera) } })
        }
    }

    /// What a camera still tells that is shown no more, nobody wants to know.
    private func take(_ happening: SessionCamera.Happening, of camera: SessionCamera) {
        guard let current, current.camera === camera else { return }
        switch happening {
        case .opening(let pipeline): tell(.opening(camera: camera.id, current.role, pipeline: pipeline))
        case .ready:
            self.current?.isReady = true
            tell(.camera(camera.id, current.role))
            learnLatency()
            handle(.cameraReady(current.role))
        case .stalled: tell(.notice("no frame for a while; the camera is waited for"))
        case .lost(let error): lose(error)
        case .recovered: tell(.recovered)
        case .gone(let error): giveUp(error, camera)
        case .notice(let text): tell(.notice(text))
        }
    }

    /// Where the stage takes any camera, and there is another, that one is as good. Where no camera is waited for, this
    /// comes up again when one is.
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
        display.note(error.summary, isLasting: true)
        tell(.lost(error))
        handle(.cameraLost)
    }

    /// Pictures of which the sharpest is taken have to be asked for earlier.
    func learnLatency() {
        guard let camera = current?.camera else { return }
        let count = stageInHand.map { session.stages[$0].bestOf } ?? 1
        Task { handle(.latency(await camera.lead(bestOf: count))) }
    }
}
