// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Glibc
import ScheduleKit
import Testing

@testable import LedgerKit

@Suite(.timeLimit(.minutes(2))) struct `Removals whose process was killed` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path + "/.gst-capture/%n.jpg.ledger" }

    private func removal(_ index: Int, _ reason: String = "count") -> LedgerRemoval {
        LedgerRemoval(file: folder.path + "/\(index).jpg", time: .test(90), reason: reason)
    }

    /// Runs a ledger with three pictures that is killed after it has planned removals.
    private func kill(_ planned: [LedgerRemoval], recorded: [LedgerRemoval] = [], isDurable: Bool = false) async throws
    {
        let ledger = Ledger(path, series: .seconds(10))
        try await ledger.open()
        ledger.begin(at: .test(0))
        try await ledger.append(
            (0..<3).map { .picture($0, folder.path + "/\($0).jpg", sha256: String(repeating: "0", count: 64)) })
        for removal in recorded {
            ledger.plan(removal)
            try await ledger.append(removal)
        }
        for removal in planned { ledger.plan(removal, isDurable: isDurable) }
        await ledger.rest()
    }

    private func removals() throws -> [LedgerRemoval] {
        var removals: [LedgerRemoval] = []
        try LedgerReader(path).eachLine { if let removal = $0.removal { removals.append(removal) } }
        return removals
    }

    @Test(arguments: [false, true]) func `A picture that is gone gets its removal at the next start`(
        isDurable: Bool
    )
        async throws
    {
        try folder.write("1.jpg", "this one was not removed yet")
        try await kill([removal(0, "age"), removal(1)], isDurable: isDurable)
        #expect(try removals().isEmpty)
        #expect(try Ledger.recover(path) == 1)
        #expect(try removals() == [removal(0, "age")])
        #expect(try Ledger.recover(path) == 0)
        #expect(try LedgerReader(path).runs().count == 1)
        #expect(!DeviceFiles.exists(path + "-removing"))
    }

    @Test func `A removal that the ledger has is not added again`() async throws {
        try await kill([removal(2)], recorded: [removal(0)])
        #expect(try Ledger.recover(path) == 1)
        #expect(try removals() == [removal(0), removal(2)])
    }

    @Test func `No plan stays of removals that are recorded or canceled`() async throws {
        let ledger = Ledger(path, series: .seconds(10))
        try await ledger.open()
        ledger.plan(removal(0))
        ledger.plan(removal(1))
        try await ledger.append(removal(0))
        #expect(DeviceFiles.exists(path + "-removing"))
        ledger.cancel(removal(1))
        #expect(!DeviceFiles.exists(path + "-removing"))
    }

    @Test func `The removals of a process that runs are left to it`() async throws {
        try await kill([removal(0)])
        let other = Ledger(path, series: .seconds(10), position: try LedgerReader(path).position())
        try await other.open()
        #expect(throws: CaptureError.self) { try Ledger.recover(path) }
        other.plan(removal(1))
        await other.close(.completed)
        #expect(try Ledger.recover(path) == 1)
        #expect(try removals() == [removal(0)])
    }

    @Test func `A plan with invalid records is passed over`() async throws {
        try await kill([])
        try folder.write(".gst-capture/%n.jpg.ledger-removing", "0.jpg\0x\00\0age\0.\01.jpg\01\00\0age\0.\02.jpg\01")
        #expect(try Ledger.recover(path) == 1)
        #expect(try removals().map(\.file) == [folder.path + "/1.jpg"])
    }
}
