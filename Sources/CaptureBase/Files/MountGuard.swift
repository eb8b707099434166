// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Checks that the file system on which a series began is still there. If the user pulls a USB stick, the folder below
/// its mount point appears, and would accept pictures that the user does not find there.
///
/// Every call blocks.
package struct MountGuard: Sendable {
    /// The folder of all pictures.
    private let folder: String
    /// The path that must be a mount point, of any file system; `nil` to check for the file system of ``begin()``.
    private let mount: String?

    private var identity: FileSystemIdentity?
    /// The last stored picture. If its path has a file of the same size, the file system is the same.
    private var lastStill: (path: String, byteCount: Int)?

    package init(folder: String, mount: String?) {
        self.folder = folder
        self.mount = mount
    }

    /// Checks that `mount` is mounted and contains the folder, which need not exist yet.
    package func checkMount() throws(CaptureError) {
        guard let mount else { return }
        guard FileSystemIdentity.isMountPoint(mount) else { throw .notMounted(mount) }
        guard Self.nearest(to: folder)?.device != FileSystemIdentity(mount)?.device else { return }
        throw .outside(mount, folder)
    }

    /// Remembers the file system of the folder. If the folder does not exist, ``check()`` accepts any file system.
    package mutating func begin() { identity = FileSystemIdentity(folder) }

    /// Remembers the last stored picture.
    package mutating func record(_ path: String, _ byteCount: Int) { lastStill = (path, byteCount) }

    /// Checks that pictures may be stored now.
    ///
    /// - Throws: ``CaptureError`` until the file system is back.
    package mutating func check() throws(CaptureError) {
        if mount != nil { return try checkMount() }
        guard let began = identity, !began.isUnchanged(at: folder) else { return }
        guard let now = FileSystemIdentity(folder) else {
            // A folder that the user removed is created again. If its file system is gone, the one below must not be
            // filled.
            if Self.nearest(to: folder)?.device == began.device { return }
            throw .vanished(folder)
        }
        guard now != began else { return }
        guard isSame(now, as: began) else { throw .vanished(folder) }
        identity = now
    }

    private func isSame(_ now: FileSystemIdentity, as began: FileSystemIdentity) -> Bool {
        if now.device == began.device, now.inode == began.inode || now.mount == began.mount { return true }
        if now.fileSystem != 0, now.fileSystem == began.fileSystem, now.device != began.device { return true }
        guard let lastStill else { return false }
        var status = stat()
        return lstat(lastStill.path, &status) == 0 && Int(status.st_size) == lastStill.byteCount
    }

    /// Returns the identity of the folder, or of its closest parent that exists.
    private static func nearest(to folder: String) -> FileSystemIdentity? {
        var path = folder
        while true {
            if let identity = FileSystemIdentity(path) { return identity }
            if path == "/" || path == "." { return nil }
            path = StillFolder.path(of: path)
        }
    }
}
