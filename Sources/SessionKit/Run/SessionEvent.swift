// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// An event of a session. Stages and pages count from 0. A camera is named by its id.
public enum SessionEvent: Sendable {
    /// A camera is being opened, with this pipeline in gst-launch syntax.
    case opening(camera: String, CameraRole, pipeline: String)
    /// A camera delivers and is shown.
    case camera(String, CameraRole)
    /// The preview has this size from now on, in pixels.
    case previewing(width: Int, height: Int)
    /// A key was pressed in the preview's window; the X11 name of the key.
    case key(String)
    /// The user pressed the preview's window, with a mouse or a finger for example.
    case press
    /// The preview ended with this error; `nil` if the user closed its window. The session ends, too.
    case previewEnded(CaptureError?)
    /// The session entered a phase.
    case phase(SessionPhase)
    /// The session entered a stage.
    case stage(Int, SessionStage)
    /// The remaining time of the countdown, at each whole second.
    case countdown(stage: Int, remaining: Duration)
    /// The remaining time of a clip: its length when its first picture is recorded, then at each whole second.
    case recording(stage: Int, remaining: Duration)
    /// The recorder of the camera with this role begins or ends to record pictures or sound.
    case recorder(SessionRecording, CameraRole)
    /// A gate is known for the first time, or its verdict, its hint or its reason has changed.
    case gate(GateFinding)
    /// A picture of a camera or of the library is durable, and the record lists it.
    ///
    /// - Parameter folder: The folder that its files are in; `nil` if pictures go to the caller.
    case captured(SessionStill, folder: String?)
    /// Pictures were removed: discarded, replaced by a retake, dropped by an abort or a skip, stored after they were
    /// canceled, or the oldest of too many that are set aside. Their files, by the names in the folder, are deleted.
    case removed(numbers: [Int], files: [String])
    /// Pictures of an aborted run are kept, but no longer count.
    case setAside(numbers: [Int])
    /// A key or a touch that ends the session must be repeated within five seconds: the prompt in words.
    case confirmation(String)
    /// All stages are done or skipped, and the user accepts, retakes or discards these pictures, in the order of the
    /// stages. Emitted once the pictures are durable.
    case review([SessionStill])
    /// A stage has all its pictures. Emitted once they are durable.
    case stageDone(Int)
    /// A stage was skipped, or restored to its state before a retake. Emitted once that is durable.
    case skipped(Int)
    /// A run was aborted in a stage: the reason and the effect.
    case aborted(stage: Int, SessionAbort, SessionDescription.AbortPolicy)
    /// A picture of a stage failed; the stage waits for a trigger.
    case failed(stage: Int, CaptureError)
    /// Fields were filled in from a code, by their names.
    case filled([String: String])
    /// A request was refused: the reason for programs, and in words.
    case refused(reason: String, explanation: String)
    /// The shown camera is lost. The session waits until the camera is recovered. If that fails, the session switches
    /// to the other camera, or fails.
    case lost(CaptureError, CameraRole)
    /// The shown camera is back.
    case recovered(CameraRole)
    /// A message for the user that does not end the session.
    case notice(Notice)
    /// The session is over, or was left. This is the last event.
    case finished(SessionOutcome)
}

/// The state of the recorder of a session's clip. Its microphone is on shortly before and after the pictures.
public struct SessionRecording: Sendable, Hashable {
    /// `true` while pictures are recorded.
    public package(set) var isOn = false
    /// The name of the microphone that is on; `nil` if none is.
    public package(set) var microphone: String?

    /// Creates the state of a recorder that records nothing.
    package init() {}
}

/// An event of a session with its number, from 1. If a listener misses numbers, its full buffer dropped those events.
public typealias NumberedSessionEvent = NumberedEvent<SessionEvent>
