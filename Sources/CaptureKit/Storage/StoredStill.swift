// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A picture on the disk that a series is known to have made.
public struct StoredStill: Sendable, Hashable {
    /// What tells a file from another one in its place.
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
    /// The hash of its bytes, as the ledger has it; `nil` if that is unknown.
    var hash: FileHash?

    /// A picture that an earlier run stored.
    public init(ordinal: Int, path: String, byteCount: Int, captured: WallTime) {
        self.ordinal = ordinal
        self.path = path
        self.byteCount = byteCount
        self.captured = captured.seconds
    }

    init(ordinal: Int, path: String, byteCount: Int, captured: Int64) {
        (self.ordinal, self.path, self.byteCount, self.captured) = (ordinal, path, byteCount, captured)
    }
}

/// A SHA-256 in 32 bytes.
struct FileHash: Sendable, Hashable {
    private let first: UInt64, second: UInt64, third: UInt64, fourth: UInt64

    /// - Parameter digits: 64 hexadecimal digits; `nil` for any other text.
    init?(_ digits: String) {
        let text = Array(digits.utf8)
        guard text.count == 64 else { return nil }
        func word(_ index: Int) -> UInt64? {
            UInt64(String(decoding: text[index * 16..<index * 16 + 16], as: UTF8.self), radix: 16)
        }
        guard let first = word(0), let second = word(1), let third = word(2), let fourth = word(3) else { return nil }
        (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
    }
}
