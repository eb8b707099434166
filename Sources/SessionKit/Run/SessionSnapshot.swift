// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The state of a session between two events, for a listener that joins late or lost events.
public struct SessionSnapshot: Sendable {
    /// The number of the last event before this state; 0 if there is none. A later event can report a change that this
    /// state has already: the event of a picture waits until the picture is durable.
    public let lastEvent: Int
    /// The phase of the session.
    public let phase: SessionPhase
    /// The stages with their pictures, and the pictures set aside.
    public let progress: SessionProgress
    /// The records of the pictures, in the order of the stages.
    public let pictures: [SessionStill]
    /// The path of the session's folder; `nil` before it is created, and if pictures go to the caller.
    public let folder: String?
    /// The id of the camera that is shown or being opened; `nil` if there is none.
    public let camera: String?
    /// The role that this camera plays; `nil` if there is none.
    public let role: CameraRole?
    /// `true` while this camera delivers.
    public let isCameraReady: Bool
}
