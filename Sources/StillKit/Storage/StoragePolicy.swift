// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The conditions under which pictures are stored: the same for series, single pictures and sessions.
public struct StoragePolicy: Sendable, Hashable {
    /// A folder that must be a mount point while pictures are stored, and contain their folder; `nil` for no such
    /// condition.
    public var mount: String?
    /// The limits on the pictures, and the policy when one is reached.
    public var limits: StorageLimits

    /// Creates a policy.
    public init(mount: String? = nil, limits: StorageLimits = StorageLimits()) {
        (self.mount, self.limits) = (mount, limits)
    }

    /// The share of the disk that stays free by default where any client can request pictures: the service needs room
    /// for its own files.
    package static let floorForClients = FreeSpaceFloor.share(0.05)
}

extension StoragePolicy {
    /// Returns the policy for a folder that may be on another disk: the mount only binds a folder in it.
    package func applied(to folder: String) -> StoragePolicy {
        guard let mount else { return self }
        let root = mount.hasSuffix("/") ? mount : mount + "/"
        return folder == mount || folder.utf8.starts(with: root.utf8) ? self : StoragePolicy(limits: limits)
    }

    /// Checks that the mount point is mounted, and that a folder is in it. Blocks.
    ///
    /// - Throws: ``CaptureError`` `.cannotCreate` while nothing is mounted there, or `.usage` if the folder is not in
    ///   it.
    package func checkMount(of folder: String) throws(CaptureError) {
        try MountGuard(folder: folder, mount: mount).checkMount()
    }

    /// Checks that the disk of a folder keeps enough space free after this many more bytes. Deleted pictures in the trashes
    /// around the folder make room first. Blocks.
    ///
    /// - Throws: ``CaptureError`` `.inputOutput` with the system error of a full disk.
    package func checkSpace(of folder: String, for byteCount: Int) throws(CaptureError) {
        guard limits.keepFree != nil else { return }
        TrashFolder.makeRoom(around: folder) { $0.free - byteCount >= limits.floor($0) }
        guard let space = DiskSpace(at: folder) else { return }
        let floor = limits.floor(space)
        guard space.free - byteCount < floor else { return }
        throw .belowFloor(free: space.free, floor: floor)
    }
}
