// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import DatabaseKit
@testable import LedgerKit

@Suite("The cost of a ledger as it grows", .timeLimit(.minutes(5)))
struct LedgerGrowthTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        StatementLog.install()
    }

    private func made(_ slots: Int, runs: Int = 1, isFirstVersion: Bool = false) async throws -> LargeLedger {
        try await LargeLedger(
            folder.path + "/\(slots)-\(runs).ledger", slots: slots, runs: runs, isFirstVersion: isFirstVersion)
    }

    /// Reads the position and opens the ledger, as a resumed capture does before its first picture.
    private func resume(_ large: LargeLedger) async throws -> Ledger {
        let reader = try LedgerReader(large.path)
        #expect(try reader.position() == large.position)
        let ledger = Ledger(large.path, series: .seconds(10), position: large.position)
        try await ledger.open()
        return ledger
    }

    /// Appends a picture and a removal, as each capture at a limit does.
    private func capture(_ index: Int, _ ledger: Ledger) async throws {
        try await ledger.append([.picture(index, folder.path + "/\(index).jpg")])
        try await ledger.append(LedgerRemoval(file: folder.path + "/1.jpg", time: .test(0), reason: "count"))
    }

    @Test(
        "Resuming a series of ten times as many slots takes at most twelve times the instructions",
        arguments: [(false, 1), (false, 30), (true, 1), (true, 30)])
    func resuming(isFirstVersion: Bool, runs: Int) async throws {
        var steps: [Int] = []
        for slots in [600, 6000] {
            let large = try await made(slots, runs: runs, isFirstVersion: isFirstVersion)
            let log = try await StatementLog.statements(on: large.path) {
                await (try resume(large)).close(.completed)
            }
            #expect(!log.isEmpty)
            steps.append(log.steps)
        }
        #expect(steps[1] <= steps[0] * 12, "\(steps)")
    }

    @Test(
        "A capture takes the same instructions in a series of ten times as many slots, the first one after a resume too"
    )
    func capturing() async throws {
        var steps: [[Int]] = []
        for slots in [600, 6000] {
            let large = try await made(slots)
            let ledger = try await resume(large)
            var each: [Int] = []
            for index in slots..<slots + 3 {
                each.append(
                    try await StatementLog.statements(on: large.path) { try await capture(index, ledger) }.steps)
            }
            await ledger.close(.completed)
            steps.append(each)
        }
        #expect(steps[0] == steps[1] && steps[0].allSatisfy { $0 > 0 }, "\(steps)")
    }

    @Test("No statement of a resume or a capture scans the slots")
    func plans() async throws {
        let large = try await made(2000, runs: 20)
        let log = try await StatementLog.statements(on: large.path) {
            let ledger = try await resume(large)
            try await capture(2000, ledger)
            try await capture(2001, ledger)
            await ledger.close(.completed)
        }
        let database = try Database(large.path, .read)
        let texts = Set(log.map(\.text)).filter { $0.contains("slots") && !$0.hasPrefix("CREATE") }
        #expect(texts.count >= 5)
        for text in texts {
            let rows = try database.prepare("EXPLAIN QUERY PLAN " + text)
            while try rows.next() {
                let step = try rows.text(3) ?? ""
                #expect(!step.hasPrefix("SCAN slots"), "\(text)")
            }
        }
        // Runs are few: one for each start.
        #expect(log.scannedRows < 200, "\(log.filter { $0.scannedRows > 0 })")
    }

    @Test(
        "Finding the pictures for limits among ten times as many slots takes at most twelve times the instructions"
    )
    func inventory() async throws {
        var steps: [Int] = []
        for slots in [600, 6000] {
            let large = try await made(slots, isFirstVersion: true)
            let log = try await StatementLog.statements(on: large.path) {
                try LedgerReader(large.path).eachStoredStill { _ in }
            }
            steps.append(log.steps)
        }
        #expect(steps[0] > 0 && steps[1] <= steps[0] * 12, "\(steps)")
    }

    @Test("Listing, counting and verifying ten times as many slots takes at most twelve times the instructions")
    func reading() async throws {
        var steps: [[Int]] = []
        for slots in [600, 6000] {
            let large = try await made(slots, isFirstVersion: true)
            var filter = LedgerFilter()
            (filter.order, filter.limit) = (.slots, 20)
            let reader = try LedgerReader(large.path)
            let list = try await StatementLog.statements(on: large.path) { try reader.eachLine(filter) { _ in } }
            filter.limit = nil
            let all = try await StatementLog.statements(on: large.path) {
                try reader.eachLine(filter) { _ = $0.check() }
            }
            let totals = try await StatementLog.statements(on: large.path) { _ = try reader.totals() }
            steps.append([list.steps, all.steps, totals.steps])
        }
        for (few, many) in zip(steps[0], steps[1]) { #expect(few > 0 && many <= few * 12, "\(few) \(many)") }
    }
}
