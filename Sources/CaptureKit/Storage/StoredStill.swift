// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A picture on the disk that a series is known to have made.
public struct StoredStill: Sendable, Hashable {
    /// What tells a file from another one in its place; `nil` where only its size is known.
    struct Identity: Sendable, Hashable {
        let inode: UInt64
        let seconds: Int
        let nanoseconds: Int
    }

    /// Its number among all pictures of the series that ever were, removed ones included.
    public let ordinal: Int
    /// Where it is.
    public let path: String
    /// Its size, in bytes.
    public let byteCount: Int
    /// When it was taken, in seconds since the start of 1970.
    public let captured: Int64
    var identity: Identity?

    /// A picture that an earlier run stored.
    public init(ordinal: Int, path: String, byteCount: Int, captured: WallTime) {
        self.ordinal = ordinal
        self.path = path
        self.byteCount = byteCount
        self.captured = captured.seconds
    }
}
