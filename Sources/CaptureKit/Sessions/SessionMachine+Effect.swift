// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension SessionMachine {
    /// What the controller does about it. Where the standing changed, it is written down before all else.
    enum Effect: Sendable, Hashable {
        /// Show the camera of this role, and say `.cameraReady`; until then the last frame is shown.
        case useCamera(CameraRole)
        /// Judge the frames by these gates from now on, and by no others.
        case watch([GateRequest])
        /// Say `.wake` at this moment, and no more at the one before.
        case wake(ClockTime)
        /// Show a page of the tutorial.
        case show(page: Int)
        /// Remember that somebody knows the tutorial.
        case rememberTutorial
        /// Show the seconds that are left.
        case countdown(Duration)
        /// Take the picture of this number, that of `zero`, and say `.taken` or `.failed`. It is asked for so much earlier
        /// as the camera is late.
        case take(picture: Int, stage: Int, zero: ClockTime)
        /// Bring in the picture of this number from a library, and say `.taken` or `.failed`.
        case bring(picture: Int, stage: Int)
        /// Do not take, or bring, the picture that was asked for. If it comes all the same, it is released.
        case callOff(picture: Int)
        /// These pictures belong to nothing any more: remove them.
        case release([SessionPicture])
        /// These pictures are of an aborted run: keep them beside the session.
        case setAside([SessionPicture])
        /// Tell whoever looks or listens.
        case tell(Notice)
        /// Deliver the session, or clear it away.
        case end(SessionStanding.Ending)
    }

    /// What is told. Where the session stands, its phase says.
    enum Notice: Sendable, Hashable {
        /// A stage is come to: its outline and its prompt are shown.
        case stage(Int)
        /// A stage has all its pictures.
        case stageDone(Int)
        /// A stage was left out, or left as it was before a retake.
        case skipped(Int)
        /// A run was aborted in a stage, and what comes of it.
        case aborted(stage: Int, AbortReason, SessionDescription.AbortPolicy)
        /// A picture of a stage was not taken; the stage waits for a trigger.
        case failed(stage: Int, CaptureError)
        /// What was waited for in vain is not waited for any longer.
        case overruled(GateRequest.Kind)
        case cameraLost
        case cameraBack
        /// What was asked for is not done.
        case refused(Refusal)
    }

    /// Why a run was aborted.
    enum AbortReason: Sendable, Hashable {
        /// Somebody asked for it.
        case asked
        /// What has to hold during a countdown did not.
        case gate(GateRequest.Kind)
        /// What was waited for did not come in time.
        case expired(GateRequest.Kind)
    }
}
