// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Which file or folder it is, whatever its name: `st_dev` and `st_ino` of `stat(2)`.
struct FileIdentity: Sendable, Hashable {
    private let device: dev_t
    private let number: ino_t

    /// `nil` where there is none.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Of one that is open.
    init?(of handle: Int32) {
        var status = stat()
        guard fstat(handle, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) { (device, number) = (status.st_dev, status.st_ino) }
}
