// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Looks whether the file system that a series began on is still there: where a stick was pulled, the folder that it
/// was mounted on shows, and would take pictures that nobody finds there.
///
/// Every call blocks.
struct MountGuard: Sendable {
    /// The folder that all pictures are in.
    let folder: String
    /// What has to be a mount point, whichever file system that is; `nil` to go by the one of the start.
    let mount: String?

    private var identity: FileSystemIdentity?
    /// The last picture: where it is found as it was stored, the file system is the same.
    private var witness: (path: String, byteCount: Int)?

    init(folder: String, mount: String?) {
        self.folder = folder
        self.mount = mount
    }

    /// Looks whether what has to be mounted is, and is where the folder is, which need not be there yet.
    func checkMount() throws(CaptureError) {
        guard let mount else { return }
        guard FileSystemIdentity.isMountPoint(mount) else { throw .notMounted(mount) }
        guard Self.nearest(to: folder)?.device != FileSystemIdentity(mount)?.device else { return }
        throw .outside(mount, folder)
    }

    /// Remembers what is there now; the folder was made.
    mutating func begin() { identity = FileSystemIdentity(folder) }

    /// Remembers a picture that was stored.
    mutating func note(_ path: String, _ byteCount: Int) { witness = (path, byteCount) }

    /// Looks whether pictures may be stored now.
    ///
    /// - Throws: ``CaptureError`` that passes when the file system is back.
    mutating func check() throws(CaptureError) {
        if mount != nil { return try checkMount() }
        guard let began = identity else { return }
        guard let now = FileSystemIdentity(folder) else {
            // Who removes a folder gets it anew; where its file system is gone, that must not be filled which is below.
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
        guard let witness else { return false }
        var status = stat()
        return lstat(witness.path, &status) == 0 && Int(status.st_size) == witness.byteCount
    }

    /// The folder, or the closest one above that is there.
    private static func nearest(to folder: String) -> FileSystemIdentity? {
        var path = folder
        while true {
            if let identity = FileSystemIdentity(path) { return identity }
            if path == "/" || path == "." { return nil }
            path = StillFolder.path(of: path)
        }
    }
}
