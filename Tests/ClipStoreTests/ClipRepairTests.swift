// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import ClipKit
import ClipList
import Foundation
import Glibc
import StillKit
import Testing
import VideoKit

@testable import ClipStore

@Suite("Clips after a crash")
struct ClipRepairTests {
    private let clips: TestClips

    init() throws { clips = try TestClips() }

    /// Begins a clip, and forgets it, as a process does that is killed.
    private func killed(_ write: (String) async throws -> Void) async throws {
        _ = try clips.account().add(clips.path(1), start: .test(0), width: 64, height: 48)
        try await write(clips.path(1))
    }

    private func reopened() async throws -> StoredClip {
        let folder = try await clips.open()
        return try #require(try await folder.clip(1))
    }

    @Test("A clip whose file was never made is gone")
    func neverMade() async throws {
        try await killed { _ in }
        let clip = try await reopened()
        #expect(clip.state == .gone && clip.error == nil)
        #expect(clips.reports.words == ["1 gone"])
    }

    @Test("A clip that was cut off is repaired, with its true facts", CutRecording.isPossible)
    func cutOff() async throws {
        try await killed { try await CutRecording.write(to: $0) }
        let clip = try await reopened()
        let report = try ClipFile.finalize(clips.path(1))
        #expect(report.wasOrdinary)
        #expect(clip.state == .repaired && clip.duration == report.duration && clip.soundDuration == nil)
        #expect(clip.frameCount == report.tracks.first?.sampleCount && (1..<60).contains(clip.frameCount ?? 0))
        let size = try FileManager.default.attributesOfItem(atPath: clips.path(1))[.size] as? Int
        #expect(clip.byteCount == size)
        #expect(clips.reports.words == ["1 repaired"])
    }

    @Test("A clip whose file was complete, and whose row was not, is repaired", CutRecording.isPossible)
    func complete() async throws {
        try await killed {
            try await CutRecording.write(to: $0)
            _ = try ClipFile.finalize($0)
        }
        #expect(try await reopened().state == .repaired)
        let folder = try await clips.open()
        #expect(try await clips.ids(folder) == [1])
        #expect(clips.reports.words == ["1 repaired"])
    }

    @Test("A file that another process writes stays as it is until a later start", CutRecording.isPossible)
    func held() async throws {
        try await killed { try await CutRecording.write(to: $0) }
        let descriptor = open(clips.path(1), O_RDWR)
        #expect(flock(descriptor, LOCK_EX) == 0)
        #expect(try await reopened().state == .recording)
        flock(descriptor, LOCK_UN)
        close(descriptor)
        #expect(try await reopened().state == .repaired)
    }

    @Test("A file without anything to play is gone from the list, stays on the disk, and a notice names it")
    func unplayable() async throws {
        try await killed { try Data("ftyp".utf8).write(to: URL(filePath: $0)) }
        let clip = try await reopened()
        #expect(clip.state == .gone && clip.error != nil && clips.exists(1))
        #expect(clips.reports.words == ["clip-not-finished", "1 gone"])
    }

    @Test("A link in place of a file is not followed", CutRecording.isPossible)
    func link() async throws {
        let outside = StillFolder.path(of: clips.base) + "/outside.mp4"
        try await CutRecording.write(to: outside)
        let before = try Data(contentsOf: URL(filePath: outside))
        try await killed { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: outside) }
        #expect(try await reopened().state == .gone)
        #expect(try Data(contentsOf: URL(filePath: outside)) == before)
    }

    @Test("A removal that a crash ended is completed, before and after the file is gone", arguments: [true, false])
    func removal(hasFile: Bool) async throws {
        do {
            let folder = try await clips.open()
            try await clips.complete(1, in: folder)
            await folder.close()
            let account = try clips.account(.write)
            try account.beginRemoval(of: try #require(try account.clip(1)))
        }
        if !hasFile { try clips.delete(1) }
        let folder = try await clips.open()
        #expect(try await folder.clip(1)?.state == .removed && !clips.exists(1))
        #expect(try await clips.ids(folder).isEmpty)
        #expect(clips.reports.words == ["1 removed"])
    }

    @Test("The name of a removal that has not ended is not given to another file")
    func reused() async throws {
        let folder = try await clips.open()
        try await clips.complete(1, in: folder)
        let account = try clips.account(.write)
        try account.beginRemoval(of: try #require(try account.clip(1)))
        try clips.delete(1)
        let error = await #expect(throws: CaptureError.self) { try await clips.begin(1, in: folder) }
        #expect(error?.systemError == EEXIST)
    }

    @Test("Without its disk, the list stays as it is")
    func unmounted() async throws {
        try await killed { _ in }
        let mount = StillFolder.path(of: clips.base)
        let error = await #expect(throws: CaptureError.self) { try await clips.open(mount: mount) }
        #expect(error?.systemError == ENODEV)
        #expect(try clips.account(.read).clip(1)?.state == .recording)
    }

    @Test("A list that was moved away while it was open is not written any more, and a new one begins")
    func movedAway() async throws {
        let folder = try await clips.open()
        try await clips.complete(1, in: folder)
        try await clips.begin(2, in: folder)
        let path = ClipFolder.accountPath(for: clips.names)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        await #expect(throws: CaptureError.self) { try await clips.end(2, in: folder) }
        try await clips.complete(3, in: folder)
        let new = try await folder.page(before: nil, limit: 10)
        #expect(new.map(\.path) == [clips.path(3)])
        let old = try ClipAccount(path + ".old", base: clips.base, .read)
        #expect(try old.clip(2)?.state == .recording && old.page(before: nil, limit: 10).count == 2)
    }

    @Test("A second process cannot record into the list, and can after the first")
    func locked() async throws {
        let first = try await clips.open()
        try await clips.complete(1, in: first)
        let error = await #expect(throws: CaptureError.self) { try await clips.open() }
        #expect(error?.code == .temporary)
        await first.close()
        let second = try await clips.open()
        #expect(try await clips.ids(second) == [1])
    }
}
