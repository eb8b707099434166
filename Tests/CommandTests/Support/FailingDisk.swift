// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport

/// An ext4 file system in a file, which fails on demand. Only the commands of a test see it.
final class FailingDisk: Sendable {
    /// The mount point.
    let place: String
    private let image: String
    private let space: MountSpace

    /// `false` if files cannot be mounted, or the user may not make a file system fail: only root may.
    static let isAllowed: Bool = {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gst-capture-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        return geteuid() == 0 && (try? FailingDisk(folder).fail()) != nil
    }()

    init(_ folder: URL) throws {
        (place, image) = (folder.path + "/disk", folder.path + "/image")
        space = try MountSpace()
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try space.run("truncate", "-s", "16M", image)
        try space.run("/usr/sbin/mkfs.ext4", "-q", image)
        try space.run("mount", "-o", "loop", image, place)
    }

    /// A program with arguments that runs another program in the mount space.
    var launcher: [String] { space.launcher }

    /// Makes each access an error from now on (`EXT4_IOC_SHUTDOWN`).
    func fail() throws {
        let handle = open(space.path(place), O_RDONLY)
        defer { close(handle) }
        var withoutLog: UInt32 = 2
        guard ioctl(handle, 0x8004_587D, &withoutLog) == 0 else { throw MountSpace.Refused() }
    }

    /// Mounts the file system again, in the state in which it failed.
    func mountAnew() throws {
        try space.run("umount", "--lazy", place)
        try space.run("mount", "-o", "loop", image, place)
    }
}
