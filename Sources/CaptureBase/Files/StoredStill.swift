// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// A stored picture that belongs to the series.
public struct StoredStill: Sendable, Hashable {
    /// The properties that distinguish a file from another one at the same path.
    package struct Identity: Sendable, Hashable {
        let inode: UInt64
        let seconds: Int
        let nanoseconds: Int
    }

    /// The picture's number among all pictures of the series, including removed ones.
    public let ordinal: Int
    /// The path of the file.
    public let path: String
    /// The size in bytes.
    public let byteCount: Int
    /// When the picture was captured, in seconds since the start of 1970, UTC.
    public let captured: Int64
    /// The identity of the stored file; `nil` if it is unknown.
    package var identity: Identity?
    /// The hash of the file's bytes from the ledger; `nil` if unknown.
    package var hash: FileHash?
    /// The number of the picture's line in the ledger; `nil` if there is none, or it is not known yet.
    package var ledgerLine: Int?

    /// Creates a picture that an earlier run stored. The file at `path` must be that picture now; a file that replaces
    /// it later does not count as the picture (`lstat(2)`). Blocks.
    public init(ordinal: Int, path: String, byteCount: Int, captured: WallTime) {
        self.init(ordinal: ordinal, path: path, byteCount: byteCount, captured: captured.seconds)
        identity = Identity(of: path)
    }

    package init(ordinal: Int, path: String, byteCount: Int, captured: Int64) {
        (self.ordinal, self.path, self.byteCount, self.captured) = (ordinal, path, byteCount, captured)
    }
}

/// A SHA-256 hash in 32 bytes.
package struct FileHash: Sendable, Hashable {
    private let first: UInt64, second: UInt64, third: UInt64, fourth: UInt64

    /// - Parameter digits: 64 hexadecimal digits; `nil` for any other text.
    package init?(_ digits: String) {
        let text = Array(digits.utf8)
        guard text.count == 64, text.allSatisfy(\.isHexadecimalDigit) else { return nil }
        func word(_ index: Int) -> UInt64? {
            UInt64(String(decoding: text[index * 16..<index * 16 + 16], as: UTF8.self), radix: 16)
        }
        guard let first = word(0), let second = word(1), let third = word(2), let fourth = word(3) else { return nil }
        (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
    }
}

extension StoredStill.Identity {
    /// Reads the identity of a file; `nil` if it does not exist.
    package init?(of path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    package init(_ status: stat) {
        self.init(
            inode: UInt64(status.st_ino), seconds: Int(status.st_mtim.tv_sec),
            nanoseconds: Int(status.st_mtim.tv_nsec))
    }
}

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
        /// The outbox had sent the picture, which exceeded the age limit of sent ones.
        case sent
    }

    /// The path that the picture had.
    public let path: String
    /// The size in bytes.
    public let byteCount: Int
    /// The reason for the removal.
    public let reason: Reason
    /// `true` if an outbox sends the pictures of the series, and had not sent this one.
    public let isUnsent: Bool

    package init(path: String, byteCount: Int, reason: Reason, isUnsent: Bool = false) {
        self.path = path
        self.byteCount = byteCount
        self.reason = reason
        self.isUnsent = isUnsent
    }
}
