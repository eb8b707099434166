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

    /// Creates the state of a camera that does not record.
    package init(since: WallTime) { self.since = since }
}
