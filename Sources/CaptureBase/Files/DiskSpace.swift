// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The free and the total space of a file system.
public struct DiskSpace: Sendable, Hashable {
    /// Bytes that a process without privileges may still write.
    public let free: Int
    /// Bytes in total.
    public let total: Int

    /// Creates a space from known numbers.
    init(free: Int, total: Int) {
        self.free = free
        self.total = total
    }

    /// Reads the space of a folder's file system (`statvfs(3)`); `nil` if that fails. Blocks.
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
