// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension SessionMachine {
    /// What happened. What somebody asks for comes first; it is carried out, or refused with a reason. The rest are facts:
    /// one that comes when it means nothing is passed over.
    enum Input: Sendable, Hashable {
        /// Go on: begin, turn the page, count down, or do not wait any longer to see the picture.
        case trigger
        /// Leave out the tutorial, or the stage.
        case skip
        /// Abort the run, as the session says.
        case abort
        /// End all at once.
        case cancel
        /// Look through the camera on the other side.
        case switchCamera
        /// Take a picture from a library in place of the next one.
        case bring
        /// Take a stage once more, or only its picture of this number.
        case retake(stage: Int, picture: Int? = nil)
        /// The pictures are as they should be.
        case accept
        /// The pictures are not wanted.
        case discard

        /// There is somebody to show something to; comes once, before all others.
        case begin
        /// The camera of this role delivers: for the first time, after `.useCamera`, or again after `.cameraLost`.
        case cameraReady(CameraRole)
        /// The camera is lost, and others try to get it back.
        case cameraLost
        /// What a gate that is watched finds: once after `.watch`, then whenever it changes. One that is off holds.
        case gate(GateRequest.Kind, holds: Bool)
        /// So much later than it is asked for comes a picture, as far as was measured.
        case latency(Duration)
        /// The moment asked for with `.wake` has come.
        case wake
        /// The picture of this number is there, and durable.
        case taken(picture: Int)
        /// There will be no picture of this number.
        case failed(picture: Int, CaptureError)
    }
}
