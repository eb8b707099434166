// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What came of a session.
public struct SessionOutcome: Sendable {
    /// How it ended.
    public enum Ending: Sendable, Hashable {
        /// Its pictures are wanted.
        case accepted
        /// It was broken off, or its pictures were not wanted.
        case cancelled
        /// It was left half done, and can be gone on with.
        case left
        /// It cannot go on now; where it has a folder, it can later.
        case failed(CaptureError)
    }

    /// A picture, with its bytes where nothing is stored.
    public struct Picture: Sendable {
        /// What is known of it.
        public let still: SessionStill
        /// The whole picture as a file; `nil` where it is in the folder.
        public let bytes: [UInt8]?
        /// What was cut out of it; `nil` where nothing was, or it is in the folder.
        public let crop: [UInt8]?
    }

    /// How it ended.
    public let ending: Ending
    /// Its folder; `nil` where there is none, or none any more.
    public let folder: String?
    /// Its pictures, in the order of the stages; none where it was cancelled.
    public let pictures: [Picture]
    /// The stages that were left out, by name.
    public let skipped: [String]
}
