// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Conditions of the disk under which a session stores pictures.
public struct SessionDisk: Sendable, Hashable {
    /// The folder that has to be a mount point; `nil` for no such condition.
    public var mount: String?
    /// How much of the disk stays free; `nil` to fill it.
    public var keepFree: FreeSpaceFloor?

    /// Creates conditions.
    public init(mount: String? = nil, keepFree: FreeSpaceFloor? = nil) {
        (self.mount, self.keepFree) = (mount, keepFree)
    }

    /// Checks that the mount is there, and that a folder is in it. It blocks.
    ///
    /// - Throws: ``CaptureError`` that passes when the file system is mounted again.
    func checkMount(_ folder: String) throws(CaptureError) {
        try MountGuard(folder: folder, mount: mount).checkMount()
    }

    /// Checks that so many bytes can be stored in a folder. It blocks.
    ///
    /// - Throws: ``CaptureError`` of a full disk.
    func checkSpace(_ folder: String, for byteCount: Int) throws(CaptureError) {
        guard let keepFree, let space = DiskSpace(at: folder) else { return }
        let floor = keepFree.bytes(of: space.total)
        guard space.free - byteCount < floor else { return }
        throw .belowFloor(free: space.free, floor: floor)
    }
}
