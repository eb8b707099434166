// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import DatabaseKit
import Testing

@testable import ClipList

@Suite("Reading the list of clips in order")
struct ClipReaderTests {
    private let clips: TestList

    init() throws { clips = try TestList() }

    private func add(_ number: Int, _ state: StoredClip.State, to account: ClipAccount) throws {
        let id = try account.add(clips.path(number), start: .test(Int64(number)), width: 320, height: 240)
        guard state != .recording else { return }
        var clip = try #require(try account.clip(id))
        (clip.state, clip.byteCount) = (state, 10)
        try account.end(clip)
    }

    @Test("Pages have the finished clips from either end, and name the others that were passed")
    func pages() throws {
        let account = try clips.account()
        for (index, state) in [StoredClip.State.complete, .gone, .repaired, .complete, .complete].enumerated() {
            try add(index + 1, state, to: account)
        }
        let reader = try ClipReader(clips.list)
        #expect(reader.folder == clips.base)
        let oldest = try reader.page(in: 1...5, isNewestFirst: false, most: 2)
        #expect(oldest.clips.map(\.id) == [1, 3] && oldest.ids == 1...3 && oldest.others == [2])
        let newest = try reader.page(in: 1...5, isNewestFirst: true, most: 2)
        #expect(newest.clips.map(\.id) == [5, 4] && newest.ids == 4...5 && newest.others.isEmpty)
        let all = try reader.page(in: 1...5, isNewestFirst: true, most: 9)
        #expect(all.clips.map(\.id) == [5, 4, 3, 1] && all.ids == 1...5 && all.others == [2])
        #expect(try reader.count(in: 2...4) == 2 && reader.newestID() == 5)
    }

    @Test("A removal that has begun may fail, so that its clip is still one")
    func removing() throws {
        let account = try clips.account()
        for number in 1...2 { try add(number, .complete, to: account) }
        try account.beginRemoval(of: try #require(try account.clip(1)))
        let reader = try ClipReader(clips.list)
        #expect(try reader.page(in: 1...2, isNewestFirst: false, most: 9).clips.map(\.id) == [1, 2])
        try account.endRemoval(of: 1, as: .removed)
        #expect(try reader.page(in: 1...2, isNewestFirst: false, most: 9).others == [1])
    }

    @Test("The IDs of clips that are being recorded are known, also below complete ones")
    func recording() throws {
        let account = try clips.account()
        #expect(try ClipReader(clips.list).identity() == nil && ClipReader(clips.list).newestID() == 0)
        for (index, state) in [StoredClip.State.recording, .complete, .recording].enumerated() {
            try add(index + 1, state, to: account)
        }
        #expect(try ClipReader(clips.list).recordingIDs() == [1, 3])
    }

    @Test("The identity of a list stays, and that of another list differs")
    func identity() throws {
        let account = try clips.account()
        try add(1, .complete, to: account)
        let identity = try #require(try ClipReader(clips.list).identity())
        try account.beginRemoval(of: try #require(try account.clip(1)))
        try account.endRemoval(of: 1, as: .removed)
        try add(2, .complete, to: account)
        #expect(try ClipReader(clips.list).identity() == identity)
        let other = try TestList()
        let list = try other.account()
        _ = try list.add(other.path(1), start: .test(7), width: 1, height: 1)
        #expect(try ClipReader(other.list).identity() != identity)
    }

    @Test("Deletions are in their order, without removals of limits and without those that failed")
    func deletions() throws {
        let account = try clips.account()
        for number in 1...5 { try add(number, .complete, to: account) }
        func remove(_ id: Int, isDeletion: Bool) throws {
            try account.beginRemoval(of: try #require(try account.clip(id)), isDeletion: isDeletion)
            try account.endRemoval(of: id, as: .removed)
        }
        try remove(4, isDeletion: true)
        try remove(1, isDeletion: false)
        let kept = try #require(try account.clip(2))
        try account.beginRemoval(of: kept, isDeletion: true)
        let reader = try ClipReader(clips.list)
        // The removal of clip 2 has not ended.
        #expect(try reader.deletions(after: 0, most: 9).clips.map(\.id) == [4])
        try account.cancelRemoval(of: kept)
        try remove(3, isDeletion: true)
        let first = try reader.deletions(after: 0, most: 1)
        #expect(first.clips.map(\.id) == [4])
        let second = try reader.deletions(after: first.last, most: 9)
        #expect(second.clips.map(\.id) == [3])
        #expect(try reader.deletions(after: second.last, most: 9) == ([], second.last))
    }

    @Test("A list cannot delete clips that it has")
    func falseDeletions() throws {
        let account = try clips.account()
        try add(1, .complete, to: account)
        try Database(clips.list, .write).run("INSERT INTO deletions VALUES (1, 1), (2, 99), (9223372036854775807, -1)")
        let found = try ClipReader(clips.list).deletions(after: 0, most: 9)
        #expect(found.clips.isEmpty && found.last == .max)
    }

    @Test(
        "A damaged row hides only its own clip",
        arguments: [
            "path = '../2.mp4'", "path = '/etc/passwd'", "path = ''", "start_zone = 90000", "bytes = -1",
            "bytes = NULL", "bytes = 9223372036854775807", "frames = -1", "width = -1",
        ])
    func damagedRow(_ change: String) throws {
        let account = try clips.account()
        for number in 1...3 { try add(number, .complete, to: account) }
        try Database(clips.list, .write).run("UPDATE clips SET \(change) WHERE id = 2")
        let page = try ClipReader(clips.list).page(in: 1...3, isNewestFirst: false, most: 9)
        #expect(page.clips.map(\.id) == [1, 3] && page.others == [2])
    }

    @Test("IDs that no list gives are passed over", arguments: [-5, 0, Int.max, 1 << 60])
    func strangeID(_ id: Int) throws {
        let account = try clips.account()
        for number in 1...2 { try add(number, .complete, to: account) }
        try Database(clips.list, .write).run("UPDATE clips SET id = \(id), state = 'recording' WHERE id = 1")
        let reader = try ClipReader(clips.list)
        #expect(try reader.newestID() == 2 && reader.recordingIDs().isEmpty)
    }

    @Test("A list that is missing, empty or another file is an error that names it")
    func refused() throws {
        #expect(throws: CaptureError.self) { try ClipReader(clips.list) }
        try Database(clips.list, .create).run("CREATE TABLE mine(id INTEGER)")
        let error = #expect(throws: CaptureError.self) { try ClipReader(clips.list) }
        #expect(error?.subject == clips.list && error?.code == .configuration)
    }
}
