// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Glibc
import LedgerKit
import Synchronization
import Testing

@testable import CaptureBase
@testable import CaptureKit
@testable import StillKit

@Suite("Storage of a series whose pictures an outbox sends", .timeLimit(.minutes(5)))
struct SentStorageTests {
    /// Sent lines that a test sets.
    private final class FakeOutbox: SentPictures {
        private let state = Mutex((line: 0, version: 0))

        var fault: CaptureError? { nil }

        /// Makes a line the only one that is sent.
        func send(_ line: Int) { state.withLock { ($0.line, $0.version) = (line, $0.version + 1) } }

        func refresh() -> Int { state.withLock { $0.version } }

        func lines(from line: Int) -> ClosedRange<Int>? {
            state.withLock { $0.line > 0 && $0.line >= line ? $0.line...$0.line : nil }
        }
    }

    private let folder: TemporaryFolder
    private let disk: FakeDisk
    private let outbox = FakeOutbox()

    init() throws {
        folder = try TemporaryFolder()
        disk = FakeDisk(latest: folder.path + "/latest")
    }

    private func storage(_ change: (inout StorageLimits) -> Void) throws -> StillStorage {
        try StillStorage.of(folder, disk) {
            $0.limits.policy = .prune
            change(&$0.limits)
            ($0.sentPictures, $0.ledger) = (outbox, folder.path + "/a.ledger")
        }
    }

    /// Stores a picture, whose line has its number.
    private func store(_ number: Int, _ storage: inout StillStorage) throws -> CaptureError? {
        if let still = try storage.store(.number(number, in: folder)), let path = still.path {
            storage.setLine(number, of: path)
        }
        return storage.tidy()
    }

    private func removed(_ storage: inout StillStorage) -> [RemovedStill] {
        storage.drainEvents().flatMap { if case .removed(let stills) = $0 { stills } else { [RemovedStill]() } }
    }

    @Test func `A picture of this process is removed first when it is sent`() throws {
        var storage = try storage { $0.maxCount = 3 }
        for number in 1...3 { #expect(try store(number, &storage) == nil) }
        outbox.send(2)
        for number in 4...5 { #expect(try store(number, &storage) == nil) }
        let removed = removed(&storage)
        #expect(removed.map(\.path) == [2, 1].map { "\(folder.path)/\($0).jpg" })
        #expect(removed.map(\.isUnsent) == [false, true])
    }

    @Test func `A full disk with unsent pictures ends the series, and keeps the picture in memory`() throws {
        var storage = try storage { ($0.maxCount, $0.keepsUnsent) = (100, true) }
        for number in 1...3 { #expect(try store(number, &storage) == nil) }
        disk.fail(ENOSPC)
        let error = try store(4, &storage)
        #expect(error?.subject == folder.path && error?.code.exitStatus == 74)
        #expect(error?.message == "the disk is full with pictures that are not sent")
        #expect(disk.removalAttempts == 0 && storage.retryDelay != nil)
        // When the series ends, the picture is stored if there is room.
        disk.fail(0)
        storage.end()
        #expect(disk.written.last == "4.jpg")
    }

    @Test func `A full disk takes a sent picture, and the series continues`() throws {
        var storage = try storage { ($0.maxCount, $0.keepsUnsent) = (100, true) }
        for number in 1...3 { #expect(try store(number, &storage) == nil) }
        outbox.send(2)
        disk.fail(ENOSPC)
        #expect(try store(4, &storage) == nil)
        #expect(removed(&storage).map(\.path) == [folder.path + "/2.jpg"])
    }

    @Test func `Space that must stay free and unsent pictures end the series`() throws {
        var storage = try storage { ($0.maxCount, $0.keepsUnsent) = (100, true) }
        for number in 1...3 { #expect(try store(number, &storage) == nil) }
        storage.folder.limits.keepFree = .share(1)
        let error = try store(4, &storage)
        #expect(error?.subject == "--keep-free" && error?.message.hasSuffix("that are not sent") == true)
        #expect(disk.removalAttempts == 0)
    }

    @Test func `A series knows the lines of pictures from its ledger`() async throws {
        let path = folder.path + "/.gst-capture/a.ledger"
        try folder.write(".gst-capture/.keep", "")
        let ledger = Ledger(path, series: .seconds(10))
        try await ledger.open()
        let file = try folder.write("3.jpg", "picture")
        try await ledger.append([
            .missed(0...1, "no camera"), .picture(2, folder.path + "/gone.jpg"), .picture(3, file),
        ])
        await ledger.close(.completed)
        var lines: [Int?] = []
        try LedgerReader(path).eachStoredStill { lines.append($0.ledgerLine) }
        #expect(lines == [2, 3])
    }
}
