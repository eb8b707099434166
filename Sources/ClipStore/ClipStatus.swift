// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The state of a camera's recordings, at one moment.
public struct ClipStatus: Sendable, Hashable {
    /// The activity of a camera that can record.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// No request has started a recording.
        case off
        /// Triggers begin clips.
        case armed
        /// A recording has been started, or a trigger has begun a clip. The camera may be opening, or lost.
        case recording
        /// A fault keeps the camera from being armed; it is retried.
        case waiting
        /// The configuration gives the camera no clips: only a session records.
        case none
    }

    /// The clip of a session that the camera records.
    public struct SessionClip: Sendable, Hashable {
        /// The ID of the session.
        public let session: String
        /// Since when pictures are recorded; `nil` while only the microphone is on.
        public let since: WallTime?
        /// The name of the microphone that records; `nil` while none does.
        public let microphone: String?

        /// Creates the state of a clip.
        package init(of session: String, since: WallTime?, microphone: String?) {
            (self.session, self.since, self.microphone) = (session, since, microphone)
        }
    }

    /// The activity.
    public package(set) var state = State.off
    /// Since when it has been the activity.
    public package(set) var since: WallTime
    /// The ID of the clip that is being recorded; `nil` if there is none.
    public package(set) var clip: Int?
    /// The present size of that clip in bytes; `nil` if there is none.
    public package(set) var byteCount: Int?
    /// The name of the microphone that records; `nil` while none does.
    public package(set) var microphone: String?
    /// The last error; `nil` after a clip without one.
    public package(set) var error: CaptureError?
    /// The clip of a session, beside the camera's own; `nil` if no session records.
    public package(set) var session: SessionClip?

    /// Creates the state of a camera that does not record.
    package init(since: WallTime) { self.since = since }

    /// Returns the state of a camera with the clip of a session.
    ///
    /// - Parameter own: The state of the camera's own recordings; `nil` if it records none.
    package static func joining(_ own: ClipStatus?, _ clip: SessionClip?, at now: WallTime) -> ClipStatus? {
        guard let clip else { return own }
        var status = own ?? ClipStatus(since: clip.since ?? now)
        if own == nil { status.state = .none }
        status.session = clip
        return status
    }
}
