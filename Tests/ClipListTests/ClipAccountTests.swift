// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import DatabaseKit
import Foundation
import LedgerKit
import Testing

@testable import ClipList

@Suite("The list of clips")
struct ClipAccountTests {
    private let clips: TestList

    init() throws { clips = try TestList() }

    /// Adds complete clips of 10 bytes.
    private func fill(_ account: ClipAccount, _ numbers: ClosedRange<Int>) throws {
        for number in numbers {
            let id = try account.add(clips.path(number), start: .test(Int64(number)), width: 320, height: 240)
            var clip = try #require(try account.clip(id))
            (clip.state, clip.byteCount) = (.complete, 10)
            #expect(try account.end(clip))
        }
    }

    @Test("All facts of a clip are the same in the next process")
    func facts() throws {
        var clip: StoredClip
        do {
            let account = try clips.account()
            let id = try account.add(clips.path(1), start: .test(5), width: 320, height: 240)
            clip = try #require(try account.clip(id))
            #expect(clip.state == .recording && clip.path == clips.path(1) && clip.start == .test(5))
            (clip.state, clip.duration, clip.frameCount) = (.complete, .milliseconds(1500), 45)
            (clip.droppedCount, clip.soundDuration, clip.byteCount) = (2, .milliseconds(1490), 12345)
            (clip.reason, clip.error) = ("lost", "camera: was unplugged")
            try account.end(clip)
        }
        let account = try clips.account(.write)
        #expect(try account.clip(clip.id) == clip)
        #expect(account.totals == ClipAccount.Totals(count: 1, byteCount: 12345))
        #expect(try account.unfinished().isEmpty)
    }

    @Test("Pages have the newest clips first, and none that was removed")
    func pages() throws {
        let account = try clips.account()
        try fill(account, 1...7)
        let removed = try #require(try account.clip(4))
        try account.beginRemoval(of: removed)
        #expect(try account.page(before: nil, limit: 3).map(\.id) == [7, 6, 5])
        #expect(try account.page(before: 5, limit: 3).map(\.id) == [3, 2, 1])
        #expect(try account.page(before: 1, limit: 3).isEmpty)
        #expect(try account.oldest(after: 0)?.id == 1 && account.oldest(after: 3)?.id == 5)
        try account.endRemoval(of: 4, as: .removed)
        #expect(try account.clip(4)?.state == .removed)
        #expect(account.totals == ClipAccount.Totals(count: 6, byteCount: 60))
    }

    @Test("A page, the oldest clip, a new clip and a removal cost the same with 100,000 clips as with 1,000")
    func growth() async throws {
        StatementLog.install()
        var steps: [Int] = []
        for count in [1000, 100_000] {
            let clips = try TestList()
            _ = try clips.account()
            try Self.insert(count, in: clips)
            let account = try clips.account(.write)
            #expect(account.totals.count == count - count / 2)
            let statements = try await StatementLog.statements(on: account.path) {
                #expect(try account.page(before: nil, limit: 50).count == 50)
                #expect(try account.page(before: count * 3 / 4, limit: 50).count == 50)
                let oldest = try #require(try account.oldest(after: 0))
                #expect(oldest.id == count / 2 + 1)
                try account.beginRemoval(of: oldest)
                try account.endRemoval(of: oldest.id, as: .removed)
                let id = try account.add(clips.path(1), start: .test(0), width: 1, height: 1)
                #expect(try account.unfinished().count == 1)
                #expect(try account.clip(id) != nil)
            }
            #expect(statements.scannedRows < 200, "\(statements)")
            steps.append(statements.steps)
        }
        #expect(steps[1] < steps[0] + steps[0] / 10, "\(steps)")
    }

    /// Inserts clips at once, the older half of which was removed.
    private static func insert(_ count: Int, in clips: TestList) throws {
        let database = try Database(clips.list, .write)
        try database.run(
            """
            WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count))
            INSERT INTO clips(path, start_ns, start_zone, state, bytes, width, height)
            SELECT n || '.mp4', n, 0, CASE WHEN n <= \(count / 2) THEN 'removed' ELSE 'complete' END, 10, 320, 240
            FROM numbers
            """)
    }

    @Test("A list of the first version is read as it is, and a service that records adds what it lacks")
    func upgrade() throws {
        try fill(try clips.account(), 1...2)
        try Database(clips.list, .write).run("DROP TABLE deletions; PRAGMA user_version = 1")
        #expect(try ClipReader(clips.list).deletions(after: 0, most: 9).clips.isEmpty)
        let reader = try clips.account(.read)
        #expect(try reader.page(before: nil, limit: 9).map(\.id) == [2, 1])
        let account = try clips.account(.write)
        try account.beginRemoval(of: try #require(try account.clip(1)), isDeletion: true)
        try account.endRemoval(of: 1, as: .removed)
        #expect(try ClipReader(clips.list).deletions(after: 0, most: 9).clips.map(\.id) == [1])
    }

    @Test(
        "A damaged row hides only its own clip",
        arguments: [
            "path = '../2.mp4'", "path = '/etc/passwd'", "path = ''", "start_zone = 90000", "bytes = -1",
            "bytes = 9223372036854775807", "duration_ns = -5", "frames = -1", "width = -1",
            "height = 9223372036854775807",
        ])
    func damagedRow(_ change: String) throws {
        try fill(try clips.account(), 1...3)
        try Database(clips.list, .write).run("UPDATE clips SET \(change) WHERE id = 2")
        let account = try clips.account(.write)
        #expect(try account.page(before: nil, limit: 10).map(\.id) == [3, 1])
        #expect(try account.clip(2) == nil && account.oldest(after: 1)?.id == 3)
        #expect(account.totals.byteCount >= 20)
    }

    @Test(
        "A file that is no list is refused and stays as it is",
        arguments: ["garbage", "another program", "another table", "a later version", "nothing"])
    func refused(_ content: String) throws {
        let path = clips.list
        switch content {
        case "garbage": try Data(repeating: 7, count: 5000).write(to: URL(filePath: path))
        case "another program": try Database(path, .create).run("CREATE TABLE mine(id INTEGER)")
        case "another table":
            _ = try clips.account()
            try Database(path, .write).run("CREATE TABLE mine(id INTEGER)")
        case "a later version":
            _ = try clips.account()
            try Database(path, .write).run("PRAGMA user_version = 3")
        default: try Data().write(to: URL(filePath: path))
        }
        let before = try Data(contentsOf: URL(filePath: path))
        let access: Database.Access = content == "nothing" ? .read : .create
        let error = #expect(throws: CaptureError.self) { try clips.account(access) }
        #expect(error?.subject == path)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }
}
