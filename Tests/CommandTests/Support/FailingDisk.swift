// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// A file system of ext4's in a file, which fails when it is told to; the commands of a test alone see it.
final class FailingDisk: Sendable {
    /// Where it is mounted.
    let place: String
    private let image: String
    private let space: MountSpace

    /// False where no files can be mounted, or nobody may make a file system fail: root alone may.
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

    /// What runs a program that sees it.
    var launcher: [String] { space.launcher }

    /// Each access is an error from now on (`EXT4_IOC_SHUTDOWN`).
    func fail() throws {
        let handle = open(space.path(place), O_RDONLY)
        defer { close(handle) }
        var withoutLog: UInt32 = 2
        guard ioctl(handle, 0x8004_587D, &withoutLog) == 0 else { throw MountSpace.Refused() }
    }

    /// Mounts it again, as it was when it failed.
    func mountAnew() throws {
        try space.run("umount", "--lazy", place)
        try space.run("mount", "-o", "loop", image, place)
    }
}
