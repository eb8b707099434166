// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import StillKit

@Suite struct `Room in the trash` {
    @Test(arguments: [LimitPolicy.stop, .prune]) func `A disk with too little space loses its trash before a picture`(
        policy: LimitPolicy
    ) throws {
        let folder = try TemporaryFolder()
        try folder.write("p/old.raw", "1")
        let trash = TrashFolder(folder.path)
        try trash.delete(["p/old.raw"], as: "garden.i-1", at: .now())
        #expect(trash.entries().count == 1)
        var limits = StoragePolicy()
        limits.limits.policy = policy
        var pictures = LimitedFolder(
            folder.path + "/p", limits, StillStore(overwrites: false, latest: nil),
            inventory: SeriesInventory(keepsStills: policy.removes))
        try pictures.begin()
        try pictures.admit(1)
        #expect(trash.entries().count == 1)
        // More than any disk has.
        limits.limits.keepFree = .bytes(1 << 60)
        pictures = LimitedFolder(
            folder.path + "/p", limits, StillStore(overwrites: false, latest: nil),
            inventory: SeriesInventory(keepsStills: policy.removes))
        #expect(throws: CaptureError.self) { try pictures.admit(1) }
        #expect(trash.entries().isEmpty)
    }

    @Test func `A trash that is emptied while a picture is restored loses no picture`() throws {
        let folder = try TemporaryFolder()
        try folder.write("a/1.raw", "1")
        let trash = TrashFolder(folder.path)
        try trash.delete(["a/1.raw"], as: "garden.i-1", at: .now())
        // Each claims the entry by its record: the second one finds none.
        _ = try trash.restore("garden.i-1")
        #expect(throws: CaptureError.self) { try trash.erase("garden.i-1") }
        #expect(trash.eraseOldest { false } == 0)
        #expect(
            DeviceFiles.exists(folder.path + "/a/1.raw")
                && !DeviceFiles.exists(folder.path + "/.gst-capture/trash/garden.i-1"))
    }
}
