// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import UploadKit

@Suite("The watch of an outbox", .timeLimit(.minutes(1)))
struct OutboxWatchTests {
    private let folder: TemporaryFolder
    private let watch: OutboxWatch

    init() throws {
        folder = try TemporaryFolder()
        _ = try OutboxStore(folder: folder.path + "/outbox")
        watch = OutboxWatch(folder: folder.path + "/outbox")
    }

    private func store() throws -> OutboxStore { try OutboxStore(folder: folder.path + "/outbox") }

    @Test func `Each reader gets a change, and the next one no sooner than a second later`() async throws {
        var readers = [watch.changes().makeAsyncIterator(), watch.changes().makeAsyncIterator()]
        let (store, start) = (try store(), ContinuousClock.now)
        _ = try store.source("/a.ledger", identity: "1")
        for index in readers.indices { #expect(await readers[index].next() != nil) }
        let count = watch.changeCount
        _ = try store.source("/b.ledger", identity: "1")
        #expect(await readers[0].next() != nil)
        #expect(watch.changeCount > count && ContinuousClock.now - start > .seconds(1))
    }

    @Test func `Reading the store is no change`() throws {
        _ = try store().source("/a.ledger", identity: "1")
        let path = try store().path
        let stamp = DatabaseStamp(path)
        for _ in 1...3 { _ = try store().targets() }
        #expect(DatabaseStamp(path) == stamp)
        try store().add(OutboxRequest(.retry, target: "nas"))
        #expect(DatabaseStamp(path) != stamp)
    }

    @Test func `A reader that comes after the last one has left gets the later changes`() async throws {
        let store = try store()
        for number in 1...2 {
            var reader = watch.changes().makeAsyncIterator()
            _ = try store.source("/\(number).ledger", identity: "1")
            #expect(await reader.next() != nil)
        }
    }
}
