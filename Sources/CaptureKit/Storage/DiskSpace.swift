// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The space of a file system.
public struct DiskSpace: Sendable, Hashable {
    /// Bytes that we may still write.
    public let free: Int
    /// Bytes that there are in all.
    public let total: Int

    /// Creates a space as given.
    init(free: Int, total: Int) {
        self.free = free
        self.total = total
    }

    /// The space of the file system that a folder is in (`statvfs(3)`); `nil` where there is no such folder. It blocks.
    public init?(at folder: String) {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        self.init(
            free: Self.bytes(status.f_bavail, status.f_frsize), total: Self.bytes(status.f_blocks, status.f_frsize))
    }

    private static func bytes(_ blocks: UInt, _ size: UInt) -> Int {
        let (bytes, overflow) = blocks.multipliedReportingOverflow(by: size)
        return overflow ? .max : Int(clamping: bytes)
    }
}
