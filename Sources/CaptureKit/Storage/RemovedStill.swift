// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A picture that was removed because of a limit.
public struct RemovedStill: Sendable, Hashable {
    /// Why.
    public enum Reason: String, Sendable, Hashable {
        /// It was older than pictures may be.
        case age
        /// There were more than there may be.
        case count
        /// They had more bytes than they may have.
        case size
        /// The disk was too full.
        case space
    }

    /// Where it was.
    public let path: String
    /// Its size, in bytes.
    public let byteCount: Int
    /// Why it was removed.
    public let reason: Reason
}
