// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit

/// The conditions of the disk under which a session stores pictures.
public struct SessionDisk: Sendable, Hashable {
    /// The folder that must be a mount point and contain the session's folder; `nil` for no such condition.
    public var mount: String?
    /// The space on the disk that must stay free; `nil` to fill the disk.
    public var keepFree: FreeSpaceFloor?

    /// Creates conditions.
    public init(mount: String? = nil, keepFree: FreeSpaceFloor? = nil) {
        (self.mount, self.keepFree) = (mount, keepFree)
    }

    /// Checks that the mount point is mounted, and that a folder is in it. It blocks.
    ///
    /// - Throws: ``CaptureError`` `.cannotCreate` while nothing is mounted there, or `.usage` if the folder is not in
    ///   it.
    func checkMount(_ folder: String) throws(CaptureError) {
        try MountGuard(folder: folder, mount: mount).checkMount()
    }

    /// Checks that the disk of a folder keeps enough space free after this many more bytes. It blocks.
    ///
    /// - Throws: ``CaptureError`` `.inputOutput` with the system error of a full disk.
    func checkSpace(_ folder: String, for byteCount: Int) throws(CaptureError) {
        guard let keepFree, let space = DiskSpace(at: folder) else { return }
        let floor = keepFree.bytes(of: space.total)
        guard space.free - byteCount < floor else { return }
        throw .belowFloor(free: space.free, floor: floor)
    }
}
