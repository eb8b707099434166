// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// A file beside a ledger to which a process appends what it is about to do. Every call blocks.
enum PlanFile {
    /// Adds a record to the file, or creates it.
    ///
    /// - Parameters:
    ///   - most: The largest size of the file, in bytes.
    ///   - isDurable: `true` if the record has to survive a power cut.
    /// - Returns: `false` if the file cannot be written.
    static func append(_ bytes: [UInt8], to path: String, most: Int, isDurable: Bool) -> Bool {
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o666)
        guard file >= 0 else { return false }
        defer { close(file) }
        let size = lseek(file, 0, SEEK_END)
        guard size >= 0, Int(size) + bytes.count <= most else { return false }
        guard write(file, bytes, bytes.count) == bytes.count else {
            // Half a record would spoil those after it.
            ftruncate(file, size)
            return false
        }
        if isDurable, fdatasync(file) == 0, size == 0 { try? StillFolder.syncName(of: path) }
        return true
    }
}
