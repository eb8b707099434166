// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The result of a session.
public struct SessionOutcome: Sendable {
    /// How a session ended.
    public enum Ending: Sendable, Hashable {
        /// The pictures were accepted.
        case accepted
        /// The session was canceled, or its pictures were discarded.
        case cancelled
        /// The session was left unfinished; if it has a folder, it can be resumed.
        case left
        /// The session failed; if it has a folder, it can be resumed.
        case failed(CaptureError)
    }

    /// A picture, with its bytes if it is not stored in a folder.
    public struct Picture: Sendable {
        /// The record of the picture.
        public let still: SessionStill
        /// The file of the whole picture; `nil` if it is in the folder, or if its temporary file cannot be read. If a
        /// file cannot be read, an accepted session fails.
        public let bytes: [UInt8]?
        /// The file of the crop; `nil` if there is no crop, and in the cases of ``bytes``.
        public let crop: [UInt8]?
        /// The first picture of a clip; `nil` for a picture, and in the cases of ``bytes``.
        public internal(set) var poster: [UInt8]?
        /// The file of each of ``SessionStill/views``; `nil` in the cases of ``bytes``.
        public internal(set) var views: [[UInt8]?] = []
    }

    /// How the session ended.
    public let ending: Ending
    /// The path of the session's folder; `nil` if pictures go to the caller, or if the session removed the folder or
    /// never created it.
    public let folder: String?
    /// The pictures, in the order of the stages; empty if the session was canceled.
    public let pictures: [Picture]
    /// The names of the skipped stages.
    public let skipped: [String]
    /// The files that were made of the accepted pictures, in ``folder``.
    public var results: [SessionFileRecord] = []
}

extension SessionOutcome.Ending {
    /// Creates the ending of a session that was accepted or canceled.
    init(_ ending: SessionProgress.Ending) { self = ending == .accepted ? .accepted : .cancelled }
}
