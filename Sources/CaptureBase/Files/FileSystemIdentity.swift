// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import Glibc
import SystemBase

/// The identity of the folder at a path, and of its file system.
package struct FileSystemIdentity: Sendable, Hashable {
    /// The device of the file system (`stat(2)`), which can change when a stick is plugged in again.
    let device: UInt64
    /// The inode of the folder within the file system.
    let inode: UInt64
    /// The ID that some file systems keep across mounts (`statvfs(3)`); 0 for others.
    let fileSystem: UInt64
    /// The ID of the mount through which the folder was opened (`statx(2)`); 0 before Linux 5.8.
    let mount: UInt64

    /// Reads the identity of a folder; `nil` if the path does not lead to a folder.
    package init?(_ folder: String) {
        let handle = open(folder, OpenFlag.path | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { return nil }
        defer { close(handle) }
        var (identity, system) = (cfile_identity(), statvfs())
        guard cfile_identify(handle, "", &identity) == 0, fstatvfs(handle, &system) == 0 else { return nil }
        (device, inode, mount) = (identity.device, identity.inode, identity.mount)
        fileSystem = UInt64(system.f_fsid)
    }

    /// Returns `true` if a path leads to this folder through the same mount. It is checked before each picture, so it takes
    /// one call of the kernel.
    func isUnchanged(at folder: String) -> Bool {
        var identity = cfile_identity()
        return cfile_identify(AT_FDCWD, folder, &identity) == 0
            && (identity.device, identity.inode, identity.mount) == (device, inode, mount)
    }

    /// Returns `true` if both are the same folder, even if it was opened through another mount.
    package func isFolder(_ other: FileSystemIdentity) -> Bool { device == other.device && inode == other.inode }

    /// Returns `true` if the path is a mount point.
    static func isMountPoint(_ path: String) -> Bool {
        guard let here = FileSystemIdentity(path), let above = FileSystemIdentity(path + "/..") else { return false }
        // Only the root of the whole tree is its own parent.
        return here.device != above.device || here.mount != above.mount || here.inode == above.inode
    }
}
