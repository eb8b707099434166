// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The inode, size and time of change of a file (`stat(2)`).
struct FileStamp: Hashable {
    let size: Int
    let inode: UInt
    private let seconds: Int, nanoseconds: Int

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (size, inode) = (Int(status.st_size), UInt(status.st_ino))
        (seconds, nanoseconds) = (Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec))
    }
}
