// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import DatabaseKit
import Foundation
import Testing

@testable import RecordKit

@Suite("The synchronization of a store", .timeLimit(.minutes(2)))
struct RecordSyncTests {
    private let backend = ModelBackend()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store() throws -> RecordStore {
        try RecordStore(folder: folder.path + "/records", kinds: [SyncDevice.kind], .create)
    }

    /// Runs the synchronization during a body. Its poll interval is an hour: only other events begin rounds.
    private func run(_ body: (RecordSync, AsyncStream<RecordSyncEvent>) async throws -> Void) async throws {
        let (events, inlet) = AsyncStream.makeStream(of: RecordSyncEvent.self)
        let sync = try RecordSync(try store(), ["card"], backend, poll: .seconds(3600)) { inlet.yield($0) }
        let task = Task { await sync.run() }
        try await body(sync, events)
        task.cancel()
        await task.value
    }

    /// Waits until the backend has a content.
    private func arrival(_ id: RecordID, _ values: [String: String]) async throws {
        let changes = backend.arrivals()
        try await awaiting("the change") { [backend] in
            if backend.content(of: id)?.values == values { return }
            for await _ in changes where backend.content(of: id)?.values == values { return }
        }
    }

    @Test("A change of another process is pushed without a poll")
    func localChange() async throws {
        let other = try store()
        let first = try other.create("card", RecordContent(values: ["a": "1"]))
        try await run { _, _ in
            try await arrival(first.id, ["a": "1"])
            let second = try other.create("card", RecordContent(values: ["a": "2"]))
            try await arrival(second.id, ["a": "2"])
        }
    }

    @Test("A change of the backend arrives after a wake-up by a broker, and is reported")
    func wake() async throws {
        try await run { sync, events in
            var events = events.makeAsyncIterator()
            // The first round has ended.
            while let event = await events.next() { if event == .condition("card", .ready) { break } }
            let id = RecordID.random()
            backend.change(id, to: RecordContent(values: ["a": "1"]))
            await sync.wake("card")
            while let event = await events.next() {
                if event == .changed("card", SyncChange(id: id, isConflict: false)) { break }
            }
            let record = try store().record(id)
            #expect(record?.content.values == ["a": "1"])
        }
    }

    @Test("An answer of another process ends the question")
    func answer() async throws {
        let other = try store()
        let record = try other.create("card", RecordContent(values: ["a": "1"]))
        try await run { sync, events in
            try await arrival(record.id, ["a": "1"])
            var events = events.makeAsyncIterator()
            backend.empty(hasOldETag: true)
            await sync.retry()
            while let event = await events.next() {
                if event == .condition("card", .stopped(.emptied(known: 1))) { break }
            }
            let state = try other.syncState(of: "card")
            #expect(state.question == .emptied(known: 1))
            try other.answer(.push, "card")
            try await arrival(record.id, ["a": "1"])
        }
    }

    @Test("A picture that another process requests is fetched, and one without records is erased, without a poll")
    func pictures() async throws {
        let other = try store()
        let blob = try other.addBlob(SmallJPEG.bytes(1))
        _ = try other.create("card", RecordContent(sides: ["front": RecordPicture(blob)]))
        let unused = String(repeating: "ab", count: 32)
        try other.commit { database throws(DatabaseError) in
            _ = try database.insert("INSERT INTO unused_blob VALUES (?)", [.text(unused)])
        }
        backend.content.blobs = [unused]
        let changes = backend.arrivals()
        try await run { _, _ in
            try await awaiting("the record, and the erasure after it") { [backend] in
                for await _ in changes where backend.content.blobs == [blob.sha256] { return }
            }
            let path = try #require(other.blobPath(blob.sha256))
            try FileManager.default.removeItem(atPath: path)
            #expect(try other.request(blob.sha256, at: 0) == .requested)
            try await awaiting("the picture") {
                for await _ in changes where FileManager.default.fileExists(atPath: path) { return }
            }
        }
    }

    @Test("A picture of another device is fetched when it is looked at, once")
    func blob() async throws {
        let hash = String(repeating: "ab", count: 32)
        let blob = try #require(RecordBlob(sha256: hash, byteCount: 7, width: 4, height: 4))
        backend.content.blobs = [hash]
        try await run { sync, _ in
            async let first = sync.fetchBlob(blob)
            async let second = sync.fetchBlob(blob)
            let paths = try await [first, second]
            #expect(Set(paths).count == 1 && paths[0].hasSuffix("/records/blobs/ab/\(hash).jpg"))
            #expect(backend.takeRequests().filter { $0 == "get \(hash)" }.count == 1)
            let missing = try #require(
                RecordBlob(sha256: String(repeating: "cd", count: 32), byteCount: 7, width: 4, height: 4))
            await #expect(throws: RecordRemoteFault.self) { try await sync.fetchBlob(missing) }
        }
    }
}
