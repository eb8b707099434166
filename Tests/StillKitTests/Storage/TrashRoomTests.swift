// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Glibc
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

    private func erased(_ folder: TemporaryFolder) throws -> [String] {
        try ErasedPictures(folder.path).page(from: 0)?.entries.flatMap(\.files) ?? []
    }

    @Test func `The account of erased pictures has each that leaves the trash for good`() throws {
        let folder = try TemporaryFolder()
        let trash = TrashFolder(folder.path)
        for number in 1...4 {
            try folder.write("a/\(number).jpg", "\(number)")
            try trash.delete(["a/\(number).jpg"], sha256: "\(number)", as: "garden.i-\(number)", at: .now())
        }
        #expect(try ErasedPictures(folder.path).page(from: 0) == nil)
        try trash.erase("garden.i-2")
        _ = try trash.restore("garden.i-3")
        // There is another copy.
        try trash.drop("garden.i-4")
        #expect(trash.eraseOldest { false } == 1)
        let page = try #require(try ErasedPictures(folder.path).page(from: 0))
        #expect(page.entries.map(\.files) == [["\(folder.path)/a/2.jpg"], ["\(folder.path)/a/1.jpg"]])
        #expect(page.entries.map(\.sha256) == ["2", "1"])
        #expect(try ErasedPictures(folder.path).page(from: page.end) == nil)
    }

    @Test func `A picture whose erasure was interrupted is in the account when it is completed`() throws {
        let folder = try TemporaryFolder()
        try folder.write("a/1.jpg", "1")
        let trash = TrashFolder(folder.path)
        try trash.delete(["a/1.jpg"], as: "garden.i-1", at: .now())
        let entry = folder.path + "/.gst-capture/trash/garden.i-1"
        // Killed after the picture was removed, and before the account has it.
        #expect(rename(entry + "/.deleted", entry + "/.erasing") == 0 && unlink(entry + "/1.jpg") == 0)
        #expect(try erased(folder).isEmpty)
        try trash.complete("garden.i-1")
        #expect(try erased(folder) == [folder.path + "/a/1.jpg"])
        #expect(!DeviceFiles.exists(entry))
    }

    @Test func `A line that is not complete yet is read later, and a damaged one is passed over`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(".gst-capture/erased", "{\n{\"files\": [\"a.jpg\"]}\n{\"files\": [\"b.jpg\"")
        let page = try #require(try ErasedPictures(folder.path).page(from: 0))
        #expect(page.entries.flatMap(\.files) == [folder.path + "/a.jpg"])
        #expect(try ErasedPictures(folder.path).page(from: page.end) == nil)
        #expect(DeviceFiles.exists(path))
    }
}
