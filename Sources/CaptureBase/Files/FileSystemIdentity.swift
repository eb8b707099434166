// Part of gst-capture. Apache License 2.0, see LICENSE.

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
    /// The ID of the mount through which the folder was opened (`/proc/self/fdinfo`); `nil` if the kernel does not
    /// report it.
    let mount: Int?

    /// Reads the identity of a folder; `nil` if the path does not lead to a folder.
    package init?(_ folder: String) {
        let handle = open(folder, OpenFlag.path | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { return nil }
        defer { close(handle) }
        var (status, system) = (stat(), statvfs())
        guard fstat(handle, &status) == 0, fstatvfs(handle, &system) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        fileSystem = UInt64(system.f_fsid)
        mount = Self.mount(of: handle)
    }

    /// Returns `true` if both are the same folder, even if it was opened through another mount.
    package func isFolder(_ other: FileSystemIdentity) -> Bool { device == other.device && inode == other.inode }

    /// Returns `true` if the path is a mount point.
    static func isMountPoint(_ path: String) -> Bool {
        guard let here = FileSystemIdentity(path), let above = FileSystemIdentity(path + "/..") else { return false }
        // Only the root of the whole tree is its own parent.
        return here.device != above.device || here.mount != above.mount || here.inode == above.inode
    }

    private static func mount(of handle: Int32) -> Int? {
        let lines = DeviceFiles.content("/proc/self/fdinfo/\(handle)")?.split(separator: UInt8(ascii: "\n")) ?? []
        let label = Array("mnt_id:".utf8)
        guard let line = lines.first(where: { $0.starts(with: label) }) else { return nil }
        return Int(String(decoding: line.dropFirst(label.count).filter(\.isDigit), as: UTF8.self))
    }
}
