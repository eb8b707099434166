// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// An event of a session. Stages and pages count from 0.
public enum SessionEvent: Sendable {
    /// A camera is being opened, with this pipeline in gst-launch syntax.
    case opening(camera: String, CameraRole, pipeline: String)
    /// A camera delivers and is shown.
    case camera(String, CameraRole)
    /// The preview has this size from now on.
    case previewing(width: Int, height: Int)
    /// A key was pressed in the preview's window; the X11 name of the key.
    case key(String)
    /// The user pressed the preview's window, with a mouse or a finger for example.
    case press
    /// The preview ended: the error; `nil` if its window was closed.
    case previewEnded(CaptureError?)
    /// The session entered a phase.
    case phase(SessionPhase)
    /// The session entered a stage.
    case stage(Int, SessionStage)
    /// The remaining time of the countdown.
    case countdown(stage: Int, remaining: Duration)
    /// The verdict of a gate is known for the first time, or has changed.
    case gate(GateFinding)
    /// A picture is captured, durable, and listed in the record.
    ///
    /// - Parameter folder: The folder that its files are in; `nil` if pictures go to the caller.
    case captured(SessionStill, folder: String?)
    /// Pictures were removed: discarded, replaced by a retake, or dropped by an abort or a skip. Their files are
    /// deleted.
    case removed(numbers: [Int], files: [String])
    /// Pictures of an aborted run are kept, but no longer count.
    case setAside(numbers: [Int])
    /// A key or a touch that ends the session must be repeated; the prompt in words.
    case confirmation(String)
    /// All stages are done or skipped. The pictures, in the order of the stages, wait to be accepted, retaken or
    /// discarded.
    case review([SessionStill])
    /// A stage has all its pictures.
    case stageDone(Int)
    /// A stage was skipped, or restored to its state before a retake.
    case skipped(Int)
    /// A run was aborted in a stage: the reason and the effect.
    case aborted(stage: Int, SessionAbort, SessionDescription.AbortPolicy)
    /// A picture of a stage failed; the stage waits for a trigger.
    case failed(stage: Int, CaptureError)
    /// A request was refused: the reason for programs, and in words.
    case refused(reason: String, explanation: String)
    /// The camera is lost; the session tries to recover it.
    case lost(CaptureError)
    /// The camera is back.
    case recovered
    /// A message for the user that does not end the session.
    case notice(Notice)
    /// The session is over, or was left.
    case finished(SessionOutcome)
}

/// An event of a session with its number. If a listener misses numbers, its full buffer dropped those events.
public typealias NumberedSessionEvent = NumberedEvent<SessionEvent>
