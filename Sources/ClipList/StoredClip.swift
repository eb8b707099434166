// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A clip in the list of a camera.
public struct StoredClip: Sendable, Hashable, Identifiable {
    /// The known state of a clip's file.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// It is being written.
        case recording
        /// It is complete.
        case complete
        /// A crash ended it, and it was repaired.
        case repaired
        /// A limit or a request removed it.
        case removed
        /// It was never made, has nothing that can be played, or is another file.
        case gone
    }

    /// The number of the clip in the list of its camera, from 1. It never changes.
    public let id: Int
    /// The absolute path of its file.
    public let path: String
    /// When its first picture was captured.
    public let start: WallTime
    /// The known state of its file.
    public var state = State.recording
    /// The duration of the longest track; `nil` before its end.
    public var duration: Duration?
    /// The number of pictures; `nil` before its end.
    public var frameCount: Int?
    /// The pictures that the encoder or the disk was too slow for; `nil` before its end, and after a repair.
    public var droppedCount: Int?
    /// The duration of the sound; `nil` if there is none, and before its end.
    public var soundDuration: Duration?
    /// The size of its file in bytes; `nil` before its end.
    public var byteCount: Int?
    /// The size of the pictures in pixels.
    public let width: Int, height: Int
    /// Why it ended, as in events of recordings: `stopped`, `elapsed`, `segment`; `nil` before its end, and after a repair.
    public var reason: String?
    /// The error that ended it, or that keeps its file from being used; `nil` if there is none.
    public var error: String?

    /// Creates a clip that is being recorded.
    package init(id: Int, path: String, start: WallTime, width: Int, height: Int) {
        (self.id, self.path, self.start, self.width, self.height) = (id, path, start, width, height)
    }
}

extension StoredClip {
    /// `true` if it has a file that does not change any more.
    public var isPlayable: Bool { state == .complete || state == .repaired }

    /// The clip as an object for programs, without its path.
    package var json: JSONValue { .object(members) }

    /// The members of ``json``.
    package var members: [JSONValue.Member] {
        let members: KeyValuePairs<String, JSONValue> = [
            "clip": .integer(id), "start": .string(start.iso8601), "state": .string(state.rawValue),
            "duration_ms": duration.map(JSONValue.milliseconds) ?? .null,
            "frames": frameCount.map(JSONValue.integer) ?? .null,
            "dropped": droppedCount.map(JSONValue.integer) ?? .null,
            "sound_ms": soundDuration.map(JSONValue.milliseconds) ?? .null,
            "bytes": byteCount.map(JSONValue.integer) ?? .null, "width": .integer(width), "height": .integer(height),
            "reason": .optional(reason), "error": .optional(error),
        ]
        return members.map { JSONValue.Member(name: $0, value: $1) }
    }
}
