// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension SessionMachine {
    /// An input of the machine. Requests come first: the machine carries each out, or refuses it with a reason. The
    /// rest are facts, which the machine ignores if they do not apply to its phase.
    enum Input: Sendable, Hashable {
        /// Continue: begin, turn the page, start the countdown, or stop showing the picture.
        case trigger
        /// Skip the tutorial or the stage.
        case skip
        /// Abort the run; the session's policy decides the effect.
        case abort
        /// End the session at once.
        case cancel
        /// Switch to the camera on the other side.
        case switchCamera
        /// Bring in a picture from a library in place of capturing the next one.
        case bring
        /// Retake a stage, or only its picture of this number.
        case retake(stage: Int, picture: Int? = nil)
        /// Accept the pictures.
        case accept
        /// Discard the pictures.
        case discard

        /// The session is prepared. This input comes once, before all others.
        case begin
        /// The camera of this role delivers: for the first time, after `.useCamera`, or again after `.cameraLost`.
        case cameraReady(CameraRole)
        /// The camera is lost; its supervisor tries to recover it.
        case cameraLost
        /// The verdict of a watched gate: once after `.watch`, then at each change. A gate that is off counts as
        /// holding.
        case gate(GateRequest.Kind, holds: Bool)
        /// How long before its moment the camera needs the request for a picture, as measured so far.
        case latency(Duration)
        /// The moment of `.wake` has come.
        case wake
        /// The picture of this number is stored and durable.
        case taken(picture: Int)
        /// The picture of this number failed and will not come.
        case failed(picture: Int, CaptureError)
    }
}
