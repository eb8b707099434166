// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Testing

@testable import CaptureBase

@Suite("The identity of a disk")
struct MountGuardTests {
    @Test("A folder that is removed, or created again, on the same disk is not a vanished disk")
    func sameDisk() throws {
        let folder = try TemporaryFolder()
        try folder.write("p/1.jpg", "abc")
        var disk = MountGuard(folder: folder.path + "/p", mount: nil)
        disk.begin()
        try disk.check()
        try folder.remove("p")
        try disk.check()
        try folder.write("p/2.jpg", "abc")
        try disk.check()
    }

    @Test("Another disk in place of the folder's disk is reported, unless it has the last picture")
    func otherDisk() throws {
        let folder = try TemporaryFolder()
        try folder.link("p", to: folder.path)
        var disk = MountGuard(folder: folder.path + "/p", mount: nil)
        disk.begin()
        try folder.remove("p")
        try folder.link("p", to: "/proc")
        #expect(throws: CaptureError.vanished(folder.path + "/p")) { try disk.check() }
        try folder.remove("p")
        try folder.link("p", to: folder.path)
        try disk.check()
        disk.record("/proc/self/comm", 0)
        try folder.remove("p")
        try folder.link("p", to: "/proc")
        try disk.check()
    }

    @Test("A folder is unchanged at each path that leads to it, until another one is at the path")
    func unchanged() throws {
        let folder = try TemporaryFolder()
        try folder.write("p/1.jpg", "abc")
        try folder.link("link", to: "p")
        let identity = try #require(FileSystemIdentity(folder.path + "/p"))
        #expect(identity.mount != 0)
        for (name, isUnchanged) in [("p", true), ("link", true), ("p/..", false), ("none", false), ("p/1.jpg", false)] {
            #expect(identity.isUnchanged(at: "\(folder.path)/\(name)") == isUnchanged, "\(name)")
        }
        #expect(!identity.isUnchanged(at: ""))
    }

    @Test("A mount point is recognized, and folders inside belong to it")
    func mountPoints() throws {
        let folder = try TemporaryFolder()
        #expect(FileSystemIdentity.isMountPoint("/proc") && FileSystemIdentity.isMountPoint("/"))
        for path in [folder.path, "/proc/self/fd", "/no/such/folder", "/proc/version", ""] {
            #expect(!FileSystemIdentity.isMountPoint(path), "\(path)")
        }
        try MountGuard(folder: "/proc/deep/folder", mount: "/proc").checkMount()
        #expect(throws: CaptureError.outside("/proc", folder.path)) {
            try MountGuard(folder: folder.path, mount: "/proc").checkMount()
        }
        #expect(throws: CaptureError.notMounted(folder.path)) {
            try MountGuard(folder: folder.path + "/p", mount: folder.path).checkMount()
        }
    }
}
