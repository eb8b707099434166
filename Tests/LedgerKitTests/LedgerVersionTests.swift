// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import CSQLite
import CaptureBase
import CaptureTestSupport
import Foundation
import ScheduleKit
import Testing

@testable import DatabaseKit
@testable import LedgerKit

@Suite("Ledgers of version 1", .timeLimit(.minutes(5)))
struct LedgerVersionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func made(_ slots: Int = 200) async throws -> LargeLedger {
        try await LargeLedger(folder.path + "/a.ledger", slots: slots, runs: 3, isFirstVersion: true)
    }

    private func version(_ path: String) throws -> Int64? { try Database(path, .read).number("PRAGMA user_version") }

    private func resume(_ large: LargeLedger) async throws {
        let ledger = Ledger(large.path, series: .seconds(10), position: large.position)
        try await ledger.open()
        try await ledger.append([.picture(large.slots, nil)])
        await ledger.close(.completed)
    }

    @Test("Reading a ledger of version 1 changes nothing in it")
    func reading() async throws {
        let large = try await made()
        let bytes = try Data(contentsOf: URL(filePath: large.path))
        let reader = try LedgerReader(large.path)
        #expect(try reader.position() == large.position)
        #expect(try reader.totals().captured == 200)
        #expect(try Data(contentsOf: URL(filePath: large.path)) == bytes)
    }

    @Test("Resuming a ledger of version 1 adds the indices, and keeps each line")
    func resuming() async throws {
        let large = try await made()
        let before = try LedgerReader(large.path).lines()
        try await resume(large)
        #expect(try version(large.path) == LedgerSchema.version && LedgerSchema.version == 2)
        let lines = try LedgerReader(large.path).lines()
        #expect(Array(lines.dropLast()) == before && lines.last == .picture(200, nil))
        let check = try Database(large.path, .read).prepare("PRAGMA integrity_check")
        #expect(try check.next() && check.text(0) == "ok")
        #expect(try LedgerReader(large.path).position()?.lastIndex == 200)
    }

    @Test(
        "A ledger of version 1 without room for the indices is written as it is",
        .enabled(if: getuid() == 0, "optional: only root may mount a disk that is so small"))
    func fullDisk() async throws {
        let disk = folder.path + "/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        try #require(mount("tmpfs", disk, "tmpfs", 0, "size=32m") == 0)
        defer { umount2(disk, Int32(MNT_DETACH)) }
        let large = try await LargeLedger(disk + "/a.ledger", slots: 20_000, isFirstVersion: true)
        // The lines of a picture fit, but the indices of all slots do not.
        var left = statfs()
        try #require(statfs(disk, &left) == 0)
        let room = Int(left.f_bavail) * Int(left.f_bsize)
        try Data(count: room - 160_000).write(to: URL(filePath: disk + "/filler"))
        try await resume(large)
        #expect(try version(large.path) == 1)
        #expect(try LedgerReader(large.path).position()?.lastIndex == 20_000)
    }
}

@Suite("Reading a ledger in a canceled task", .timeLimit(.minutes(5)))
struct LedgerCancellationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs `body` in a task that is canceled from the start; returns its error.
    private func cancelled(_ body: @escaping @Sendable () async throws(CaptureError) -> Void) async -> CaptureError? {
        let task = Task { () -> CaptureError? in
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(CaptureError) {
                try await body()
                return nil
            } catch {
                return error
            }
        }
        return await task.value
    }

    @Test("Listing the pictures in a ledger throws in a canceled task", arguments: [false, true])
    func pictures(isFirstVersion: Bool) async throws {
        let large = try await LargeLedger(
            folder.path + "/a.ledger", slots: 20_000, isFirstVersion: isFirstVersion)
        let path = large.path
        let error = await cancelled { () throws(CaptureError) in
            try LedgerReader(path).eachStoredStill { _ in }
        }
        #expect(
            error?.code == .temporary && error?.message.contains("canceled") == true, "\(String(describing: error))")
    }

    @Test("No line of a ledger is read in a canceled task")
    func lines() async throws {
        let large = try await LargeLedger(folder.path + "/a.ledger", slots: 100)
        let path = large.path
        let error = await cancelled { () throws(CaptureError) in
            try LedgerReader(path).eachLine { _ in Issue.record("a line came") }
        }
        #expect(error?.message.contains("canceled") == true)
    }

    @Test("A ledger of version 1 stays as it is if it is opened for writing in a canceled task")
    func migration() async throws {
        let large = try await LargeLedger(folder.path + "/a.ledger", slots: 20_000, isFirstVersion: true)
        let error = await cancelled { () throws(CaptureError) in
            try await Ledger(large.path, series: .seconds(10), position: large.position).open()
        }
        #expect(error?.message.contains("canceled") == true)
        #expect(try Database(large.path, .read).number("PRAGMA user_version") == 1)
        #expect(try LedgerReader(large.path).position() == large.position)
    }

    @Test("The lines of a ledger are written even in a canceled task")
    func writing() async throws {
        let ledger = Ledger(folder.path + "/a.ledger", series: .seconds(10))
        try await ledger.open()
        let error = await cancelled { () throws(CaptureError) in
            try await ledger.append((0..<500).map { .picture($0, nil) })
        }
        #expect(error == nil)
        await ledger.close(.completed)
        #expect(try LedgerReader(folder.path + "/a.ledger").lines().count == 500)
    }
}
