// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A picture that was removed because of a limit.
public struct RemovedStill: Sendable, Hashable {
    /// The reason for a removal.
    public enum Reason: String, Sendable, Hashable {
        /// The picture exceeded the age limit.
        case age
        /// The series exceeded the limit of pictures.
        case count
        /// The series exceeded the limit of bytes.
        case size
        /// The disk had too little free space.
        case space
    }

    /// The path that the picture had.
    public let path: String
    /// The size in bytes.
    public let byteCount: Int
    /// The reason for the removal.
    public let reason: Reason

    package init(
        path: String, byteCount: Int, reason: Reason
    ) {
        self.path = path
        self.byteCount = byteCount
        self.reason = reason
    }
}
