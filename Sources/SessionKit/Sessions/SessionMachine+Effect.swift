// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension SessionMachine {
    /// An action for the controller. If the progress changed, the controller saves it before all effects.
    enum Effect: Sendable, Hashable {
        /// Show the camera of this role, then input `.cameraReady`; the last frame is shown until then.
        case useCamera(CameraRole)
        /// Judge the frames by these gates only, from now on.
        case watch([GateRequest])
        /// Input `.wake` at this moment, and cancel the earlier wake.
        case wake(ClockTime)
        /// Show a page of the tutorial.
        case show(page: Int)
        /// Remember that the user knows the tutorial.
        case rememberTutorial
        /// Show the remaining seconds.
        case countdown(Duration)
        /// Capture the picture of this number, the one of `zero`, then input `.taken` or `.failed`. The effect comes
        /// before `zero` by the latency of the camera.
        case capture(picture: Int, stage: Int, zero: ClockTime)
        /// Bring in the picture of this number from a library, then input `.taken` or `.failed`.
        case bring(picture: Int, stage: Int)
        /// Cancel the pending picture. If it comes anyway, the machine releases it.
        case callOff(picture: Int)
        /// Remove these pictures, which no longer belong to the session.
        case release([SessionPicture])
        /// Keep these pictures of an aborted run beside the session's.
        case setAside([SessionPicture])
        /// Report the notice to the viewer and to programs.
        case emit(Notice)
        /// Deliver the session's pictures, or discard them.
        case end(SessionProgress.Ending)
    }

    /// A notice for viewers and programs. The controller reports changes of the phase separately.
    enum Notice: Sendable, Hashable {
        /// A stage begins: the preview shows its outline and its prompt.
        case stage(Int)
        /// A stage has all its pictures.
        case stageDone(Int)
        /// A stage was skipped, or restored to its state before a retake.
        case skipped(Int)
        /// A run was aborted in a stage: the reason and the effect.
        case aborted(stage: Int, AbortReason, SessionDescription.AbortPolicy)
        /// A picture of a stage failed; the stage waits for a trigger.
        case failed(stage: Int, CaptureError)
        /// A gate timed out; the countdown no longer waits for it.
        case overruled(GateRequest.Kind)
        case cameraLost
        case cameraBack
        /// A request was refused.
        case refused(Refusal)
    }

    /// The reason for an abort.
    enum AbortReason: Sendable, Hashable {
        /// The user or a program requested it.
        case asked
        /// A gate failed during the countdown.
        case gate(GateRequest.Kind)
        /// A gate timed out.
        case expired(GateRequest.Kind)
    }
}
