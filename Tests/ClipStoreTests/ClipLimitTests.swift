// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import ClipList
import Foundation
import StillKit
import Testing

@testable import ClipStore

@Suite("Limits of clips")
struct ClipLimitTests {
    private let clips: TestClips

    init() throws { clips = try TestClips() }

    private static func limits(
        _ policy: LimitPolicy = .prune, count: Int? = nil, size: Int? = nil, age: Duration? = nil,
        free: FreeSpaceFloor? = nil
    ) -> StorageLimits {
        var limits = StorageLimits()
        (limits.policy, limits.maxCount, limits.maxSize) = (policy, count, size)
        (limits.maxAge, limits.keepFree) = (age, free)
        return limits
    }

    @Test("Beyond their number, the oldest clips are removed before another one begins")
    func count() async throws {
        let folder = try await clips.open(Self.limits(count: 2))
        for number in 1...3 { try await clips.complete(number, in: folder) }
        #expect(try await clips.ids(folder) == [3, 2] && !clips.exists(1) && clips.exists(2))
        #expect(try await folder.clip(1)?.state == .removed)
        #expect(clips.reports.words == ["1 removed"])
    }

    @Test("The bytes of a clip that is being recorded count, and it is never removed")
    func size() async throws {
        let folder = try await clips.open(Self.limits(size: 2500))
        try await clips.complete(1, in: folder)
        try await clips.complete(2, in: folder)
        try await clips.begin(3, in: folder)
        #expect(try await clips.ids(folder) == [3, 2, 1])
        try clips.write(3, bytes: 5000)
        try await clips.begin(4, in: folder)
        #expect(try await clips.ids(folder) == [4, 3])
        #expect(clips.exists(3))
    }

    @Test("Clips beyond the size go when one is complete, and the newest stays")
    func newest() async throws {
        let folder = try await clips.open(Self.limits(size: 500))
        try await clips.complete(1, in: folder)
        #expect(try await clips.ids(folder) == [1])
        try await clips.complete(2, in: folder)
        #expect(try await clips.ids(folder) == [2])
    }

    @Test("Clips that are too old go, those of another clock do not keep them")
    func age() async throws {
        do {
            let folder = try await clips.open()
            // A board without a battery has recorded the first one.
            try await clips.complete(1, in: folder, at: WallTime(seconds: 1000, nanoseconds: 0, utcOffset: 0))
            try await clips.complete(2, in: folder, at: .test(-100))
            try await clips.complete(3, in: folder, at: .test(-50))
            await folder.close()
        }
        let folder = try await clips.open(Self.limits(age: .seconds(60)))
        try await clips.begin(4, in: folder)
        #expect(try await clips.ids(folder) == [4, 3, 1])
    }

    @Test("A disk without the free space refuses a clip after all others were removed")
    func floor() async throws {
        do {
            let folder = try await clips.open()
            for number in 1...2 { try await clips.complete(number, in: folder) }
            await folder.close()
        }
        let folder = try await clips.open(Self.limits(free: .share(1)))
        let error = await #expect(throws: CaptureError.self) { try await clips.begin(3, in: folder) }
        #expect(error?.isFullDisk == true && error?.subject == "keep-free")
        #expect(try await clips.ids(folder).isEmpty && !clips.exists(1) && !clips.exists(3))
    }

    @Test("With the policy to stop, a limit refuses the next clip, and nothing is removed")
    func stop() async throws {
        for (limits, key) in [
            (Self.limits(.stop, count: 1), "max-count"), (Self.limits(.stop, size: 1000), "max-size"),
            (Self.limits(.stop, age: .seconds(60)), "max-age"),
        ] {
            let clips = try TestClips()
            let folder = try await clips.open(limits)
            try await clips.complete(1, in: folder, at: .test(-100))
            let error = await #expect(throws: CaptureError.self) { try await clips.begin(2, in: folder) }
            #expect(error?.subject == key && error?.code == .inputOutput)
            #expect(try await clips.ids(folder) == [1])
        }
    }

    @Test("A file that has changed is left alone, and is not a clip any more")
    func changed() async throws {
        let folder = try await clips.open(Self.limits(count: 1))
        try await clips.complete(1, in: folder)
        try clips.write(1, bytes: 7)
        try await clips.complete(2, in: folder)
        #expect(clips.exists(1) && clips.reports.words == ["1 gone"])
        #expect(try await clips.ids(folder) == [2])
    }

    @Test("A clip that is removed on request is gone with its empty folder")
    func request() async throws {
        let folder = try await clips.open()
        try await clips.complete(1, in: folder)
        try await clips.begin(2, in: folder)
        try await folder.remove(1)
        #expect(!clips.exists(1))
        for (id, code) in [(1, CaptureError.Code.noInput), (2, .temporary), (3, .noInput)] {
            let error = await #expect(throws: CaptureError.self) { try await folder.remove(id) }
            #expect(error?.code == code)
        }
        #expect(try await clips.ids(folder) == [2])
    }

    @Test("A clip that is removed takes its sidecar with tags along")
    func sidecar() async throws {
        let folder = try await clips.open()
        try await clips.complete(1, in: folder)
        let sidecar = StillName.sidecarPath(of: clips.path(1))
        try Data("tags".utf8).write(to: URL(filePath: sidecar))
        try await folder.remove(1)
        #expect(!DeviceFiles.exists(sidecar))
    }

    @Test("A clip that was not created is gone, and its name is free")
    func failed() async throws {
        let folder = try await clips.open()
        let id = try await folder.begin(clips.path(1), start: .test(0), format: TestClips.format)
        await folder.fail(clips.path(1), because: CaptureError(.inputOutput, "the disk is full"))
        #expect(try await folder.clip(id)?.state == .gone)
        try await clips.complete(1, in: folder)
        #expect(try await clips.ids(folder) == [2])
    }

    @Test("Reading a folder without a list creates nothing")
    func empty() async throws {
        let folder = try await clips.open()
        #expect(try await clips.ids(folder).isEmpty)
        #expect(!DeviceFiles.exists(clips.base))
    }
}
