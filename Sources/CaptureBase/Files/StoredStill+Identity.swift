// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

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
