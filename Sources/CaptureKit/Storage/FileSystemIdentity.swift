// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Which folder of which file system a path leads to.
struct FileSystemIdentity: Sendable, Hashable {
    /// The device of the file system (`stat(2)`): another one when a stick was plugged in anew.
    let device: UInt64
    /// The folder, within the file system.
    let inode: UInt64
    /// The identity that some file systems keep wherever they are mounted (`statvfs(3)`); 0 for others.
    let fileSystem: UInt64
    /// The mount that it was found through (`/proc/self/fdinfo`); `nil` where the kernel does not tell.
    let mount: Int?

    /// What a folder is; `nil` where it is none, or not there.
    init?(_ folder: String) {
        let handle = open(folder, Self.pathOnly | O_DIRECTORY | O_CLOEXEC)
        guard handle >= 0 else { return nil }
        defer { close(handle) }
        var (status, system) = (stat(), statvfs())
        guard fstat(handle, &status) == 0, fstatvfs(handle, &system) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        fileSystem = UInt64(system.f_fsid)
        mount = Self.mount(of: handle)
    }

    /// True for the same folder, wherever it is mounted.
    func isFolder(_ other: FileSystemIdentity) -> Bool { device == other.device && inode == other.inode }

    /// True where a path is a folder that something is mounted on.
    static func isMountPoint(_ path: String) -> Bool {
        guard let here = FileSystemIdentity(path), let above = FileSystemIdentity(path + "/..") else { return false }
        // Only the root of all is its own parent.
        return here.device != above.device || here.mount != above.mount || here.inode == above.inode
    }

    /// `O_PATH`, which Glibc shows to GNU programs only: no right to read the folder is needed.
    private static let pathOnly: Int32 = 0o10000000

    private static func mount(of handle: Int32) -> Int? {
        let lines = DeviceFiles.content("/proc/self/fdinfo/\(handle)")?.split(separator: UInt8(ascii: "\n")) ?? []
        let label = Array("mnt_id:".utf8)
        guard let line = lines.first(where: { $0.starts(with: label) }) else { return nil }
        return Int(String(decoding: line.dropFirst(label.count).filter(\.isDigit), as: UTF8.self))
    }
}
