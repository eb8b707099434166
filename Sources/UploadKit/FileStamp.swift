// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The device, inode, size and time of change of a file (`stat(2)`).
struct FileStamp: Hashable {
    let size: Int
    let inode: UInt
    private let device: UInt
    private let seconds: Int, nanoseconds: Int

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (size, inode, device) = (Int(status.st_size), UInt(status.st_ino), UInt(status.st_dev))
        (seconds, nanoseconds) = (Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec))
    }
}

/// The state of the files of an SQLite database, which changes when it is written, and not when it is read.
struct DatabaseStamp: Hashable {
    private let file: FileStamp?
    /// The log that a writer keeps beside the file; an empty one is that of a reader.
    private let log: FileStamp?

    init(_ path: String) {
        file = FileStamp(path)
        log = FileStamp(path + "-wal").flatMap { $0.size > 0 ? $0 : nil }
    }

    /// `true` if there is a file.
    var exists: Bool { file != nil }

    /// `true` if the newest content may be in the log.
    var hasLog: Bool { log != nil }
}
