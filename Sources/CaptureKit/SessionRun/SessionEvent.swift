// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What happens during a session. Stages and pages count from 0.
public enum SessionEvent: Sendable {
    /// A camera is opened, with this pipeline in gst-launch syntax.
    case opening(camera: String, CameraRole, pipeline: String)
    /// A camera delivers, and is shown.
    case camera(String, CameraRole)
    /// The preview has this size from now on.
    case previewing(width: Int, height: Int)
    /// A key went down in the preview's window, by its name in X11.
    case key(String)
    /// The preview's window was pressed, as with a mouse or a finger.
    case press
    /// The preview is over, and why; `nil` where its window was closed.
    case previewEnded(CaptureError?)
    /// The session stands somewhere else.
    case phase(SessionPhase)
    /// A stage is come to.
    case stage(Int, SessionStage)
    /// The countdown stands here.
    case countdown(stage: Int, remaining: Duration)
    /// A gate found something else than before.
    case gate(GateFinding)
    /// A picture is taken, durable, and written down.
    ///
    /// - Parameter folder: The folder that its files are in; `nil` if pictures go to the caller.
    case captured(SessionStill, folder: String?)
    /// Pictures that counted are gone: discarded, replaced by a retake, or dropped by an abort or a skip. Their files are
    /// removed.
    case removed(numbers: [Int], files: [String])
    /// Pictures of an aborted run are kept, and do not count any more.
    case setAside(numbers: [Int])
    /// A key or a touch that deletes or accepts waits to be repeated; the prompt in words.
    case confirmation(String)
    /// All pictures are there, in the order of the stages: they wait to be accepted, retaken or discarded.
    case review([SessionStill])
    /// A stage has all its pictures.
    case stageDone(Int)
    /// A stage was left out, or left as it was before a retake.
    case skipped(Int)
    /// A run was aborted in a stage: why, and what comes of it.
    case aborted(stage: Int, SessionAbort, SessionDescription.AbortPolicy)
    /// A picture of a stage was not taken; the stage waits for a trigger.
    case failed(stage: Int, CaptureError)
    /// What was asked for is not done: the reason for programs, and in words.
    case refused(reason: String, explanation: String)
    /// The camera is lost, and others try to get it back.
    case lost(CaptureError)
    /// The camera is back.
    case recovered
    /// Something is worth knowing.
    case notice(String)
    /// It is over, or was left.
    case finished(SessionOutcome)
}

/// An event of a session with its number: 1 for the first, no number left out. Numbers that a listener misses are of events
/// that its full buffer dropped.
public struct NumberedSessionEvent: Sendable {
    /// Counts the session's events from 1.
    public let number: Int
    /// What happened.
    public let event: SessionEvent
}
