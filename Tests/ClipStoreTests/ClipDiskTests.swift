// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import ClipList
import Foundation
import Glibc
import StillKit
import Testing

@testable import ClipStore

/// A disk that is mounted in a temporary folder.
private final class SmallDisk {
    let path: String
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path
        try mount()
    }

    func mount() throws { try #require(Glibc.mount("tmpfs", path, "tmpfs", 0, "size=512k") == 0) }

    func unmount() { umount2(path, Int32(MNT_DETACH)) }

    deinit { unmount() }
}

@Suite(
    "Disks of clips", .timeLimit(.minutes(5)),
    .enabled(if: getuid() == 0, "optional: only root may mount a disk that is so small"))
struct ClipDiskTests {
    private let disk: SmallDisk
    private let clips: TestClips

    init() throws {
        disk = try SmallDisk()
        clips = try TestClips(in: disk.path + "/clips")
    }

    @Test("On a disk that is full to the last byte, the oldest clip makes room for the next one")
    func full() async throws {
        do {
            let folder = try await clips.open()
            for number in 1...3 { try await clips.complete(number, in: folder, bytes: 60_000) }
            await folder.close()
        }
        let file = open(disk.path + "/fill", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        while write(file, Array(repeating: 1, count: 4096), 4096) > 0 {}
        close(file)
        var limits = StorageLimits()
        (limits.keepFree, limits.policy) = (.bytes(40_000), .prune)
        let folder = try await clips.open(limits)
        try await clips.begin(4, in: folder)
        #expect(try await clips.ids(folder) == [4, 3, 2] && !clips.exists(1))
        #expect(try await folder.clip(1)?.state == .removed)
    }

    @Test("A disk that is gone refuses clips, has no file below it, and gets clips again when it is back")
    func gone() async throws {
        let folder = try await clips.open(mount: disk.path)
        try await clips.begin(1, in: folder)
        try clips.delete(1)
        disk.unmount()
        let error = await #expect(throws: CaptureError.self) { try await clips.begin(2, in: folder) }
        #expect(error?.systemError == ENODEV)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
        await folder.close()
        try disk.mount()
        let again = try await clips.open(mount: disk.path)
        try await clips.complete(1, in: again)
        #expect(try await clips.ids(again) == [1])
    }
}
