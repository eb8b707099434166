// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Cameras that are switched, lost and recovered.
extension SessionMachine {
    /// Ignores a camera that is not the one requested last: it comes too late.
    mutating func acceptCamera(_ role: CameraRole, _ now: ClockTime) -> [Effect] {
        guard !isOver, role == camera else { return [] }
        let emitted = isCameraLost ? [Effect.emit(.cameraBack)] : []
        (hasCamera, isCameraLost) = (true, false)
        guard case .switching(let stage, let start) = phase else { return emitted }
        return emitted + arm(stage, start, now)
    }

    /// Cancels the countdown or the pending capture; the stage resumes when the camera is back. Pictures are kept, and
    /// a pending library picture is not affected.
    mutating func loseCamera() -> [Effect] {
        guard hasCamera, !isOver else { return [] }
        (hasCamera, isCameraLost) = (false, true)
        if case .bringing = phase { return [.emit(.cameraLost)] + stopWatching() }
        let calledOff = callOffPicture()
        switch phase {
        case .armed(let stage, .trigger): phase = .switching(stage: stage, .trigger)
        case .armed(let stage, .gates), .counting(let stage, _), .capturing(let stage, _, _):
            phase = .switching(stage: stage, .now)
        default: break
        }
        return calledOff + [.emit(.cameraLost)] + stopWatching()
    }

    /// Switches the camera if the stage allows it. The user can reverse a switch that takes too long.
    mutating func switchCamera(for stage: Int?, _ leave: (inout Self) -> Void = { _ in }) -> [Effect] {
        guard plan.hasSeveralCameras else { return refuse(.onlyCamera) }
        guard stage.map({ session.stages[$0].camera == nil }) ?? true else { return refuse(.cameraIsFixed) }
        leave(&self)
        return request(camera.other)
    }

    /// The stage that waits for its camera, or will be the first to wait; `nil` if no stage waits.
    var stageWithoutCamera: Int? {
        switch phase {
        case .ready: progress.openStage
        case .switching(let stage, _): stage
        default: nil
        }
    }

    /// Requests the camera of a role; `hasCamera` is `false` until it delivers.
    mutating func request(_ role: CameraRole) -> [Effect] {
        (camera, hasCamera) = (role, false)
        return stopWatching() + [.useCamera(role)]
    }
}
