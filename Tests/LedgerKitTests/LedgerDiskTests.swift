// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import ScheduleKit
import Synchronization
import Testing

@testable import LedgerKit

@Suite("A ledger on a disk that is removed and returns", .timeLimit(.minutes(5)))
struct LedgerDiskTests {
    private let folder: TemporaryFolder
    private let reports = Reports()

    init() throws { folder = try TemporaryFolder() }

    /// The notices about the ledger.
    private final class Reports: Sendable {
        private let reported = Mutex<[Notice]>([])
        var notices: [Notice] { reported.withLock { $0 } }
        var all: [String] { notices.map(\.description) }
        func add(_ notice: Notice) { reported.withLock { $0.append(notice) } }
    }

    private var stick: String { folder.path + "/stick" }
    private var path: String { stick + "/.gst-capture/%n.jpg.ledger" }

    private func opened(_ position: SeriesPosition? = nil) async throws -> Ledger {
        let ledger = Ledger(path, series: .seconds(10), position: position) { [reports] in reports.add($0) }
        try await ledger.open()
        return ledger
    }

    /// Moves the folder away, as if its disk were removed. A test may then create another folder in its place.
    private func pull() throws { try FileManager.default.moveItem(atPath: stick, toPath: stick + "-drawer") }

    private func plugIn() throws {
        try? FileManager.default.removeItem(atPath: stick)
        try FileManager.default.moveItem(atPath: stick + "-drawer", toPath: stick)
    }

    @Test("Lines are queued while a ledger's disk is missing, no ledger replaces it, and the run continues")
    func comesBack() async throws {
        let ledger = try await opened()
        try await ledger.append([.picture(0, nil)])
        try pull()
        try FileManager.default.createDirectory(atPath: stick, withIntermediateDirectories: false)
        for index in 1...2 {
            await #expect(throws: CaptureError.self) { try await ledger.append([.picture(index, nil)]) }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: stick) == [])
        try plugIn()
        try await ledger.append([.picture(3, nil)])
        await ledger.close(.completed)
        #expect(try FileManager.default.contentsOfDirectory(atPath: stick + "/.gst-capture").count == 1)
        let reader = try LedgerReader(path)
        #expect(try reader.lines() == (0...3).map { .picture($0, nil) })
        #expect(try reader.runs().count == 1 && reader.runs().first?.end?.ending == "completed")
        #expect(reports.notices.map(\.code) == [.ledgerNotWritten, .ledgerResumed])
        #expect(reports.notices.allSatisfy { $0.subject == path })
        #expect(reports.all.first?.hasPrefix("lines for the ledger are pending: ") == true)
        #expect(reports.all.first?.contains("the ledger is gone") == true)
        #expect(reports.all.last == "writing to the ledger has resumed")
    }

    @Test("Lines are not written into another ledger in place of a missing ledger")
    func another() async throws {
        let ledger = try await opened()
        try await ledger.append([.picture(0, nil)])
        try pull()
        let other = try await opened()
        try await other.append([.picture(0, "/other.jpg")])
        await other.close(.stopped)
        await #expect(throws: CaptureError.self) { try await ledger.append([.picture(1, nil)]) }
        #expect(reports.all.last?.contains("another ledger is in its place") == true)
        #expect(try LedgerReader(path).lines().count == 1)
        try plugIn()
        await ledger.close(.completed)
        #expect(try LedgerReader(path).lines() == (0...1).map { .picture($0, nil) })
    }

    @Test("A ledger is locked again by the first line after its disk returns")
    func locked() async throws {
        let ledger = try await opened()
        try await ledger.append([.picture(0, nil)])
        try pull()
        await #expect(throws: CaptureError.self) { try await ledger.append([.picture(1, nil)]) }
        try plugIn()
        try await ledger.append([.picture(2, nil)])
        await #expect(throws: CaptureError.self) { _ = try await opened() }
        await ledger.close(.completed)
    }

    @Test("A notice states how many lines are lost if the disk of a ledger does not return")
    func lost() async throws {
        let ledger = try await opened()
        try await ledger.append([.picture(0, nil)])
        try pull()
        ledger.record(.missed(1...3, "lost"))
        ledger.record(.failed(4, "disk gone"))
        await ledger.close(.stopped)
        #expect(reports.all.last?.hasPrefix("the ledger lacks its last lines, 2 of them: ") == true)
        #expect(reports.notices.last?.code == .ledgerNotWritten)
    }

    @Test("The number of lines shows that a transaction which was reported as failed is durable")
    func doubtful() throws {
        let (place, start) = (LedgerPlace(path), WallTime.test(5))
        let before: LedgerState
        do {
            let file = try LedgerFile(place, .seconds(10), from: nil, start: start)
            before = file.state
            try file.add([.slot(.picture(0, nil))], anchor: .test(0))
        }
        let found = try LedgerFile(place, .seconds(10), from: nil, start: start, after: before)
        #expect(before == LedgerState())
        #expect(found.state == LedgerState(series: 1, run: 1, lineCount: 1))
    }
}
