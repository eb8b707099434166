// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import SystemBase

/// Permissions of files that only their owner may use. Every call blocks.
package enum PrivateMode {
    /// The mode of a file.
    static let file: mode_t = 0o600
    /// The mode of a folder.
    package static let folder: mode_t = 0o700

    /// Gives a folder, or a regular file, its private mode. Symbolic links and devices keep theirs.
    ///
    /// - Returns: `false` if the group or others still have permissions, as on a file system without modes (FAT), or
    ///   for a file of another owner; `true` also if the path cannot be examined.
    @discardableResult
    package static func restrict(_ path: String) -> Bool {
        // O_NOFOLLOW: a link may lead out of the folder.
        let handle = open(path, OpenFlag.path | O_NOFOLLOW | O_CLOEXEC)
        guard handle >= 0 else { return true }
        defer { close(handle) }
        var status = stat()
        guard fstat(handle, &status) == 0 else { return true }
        let mode: mode_t
        switch status.st_mode & S_IFMT {
        case S_IFDIR: mode = folder
        case S_IFREG: mode = file
        default: return true
        }
        guard status.st_mode & 0o777 != mode else { return true }
        // fchmod(2) refuses a handle of O_PATH.
        chmod("/proc/self/fd/\(handle)", mode)
        return fstat(handle, &status) == 0 && status.st_mode & 0o077 == 0
    }
}
