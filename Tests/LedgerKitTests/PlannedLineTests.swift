// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import ScheduleKit
import Testing

@testable import LedgerKit

@Suite(.timeLimit(.minutes(2))) struct `Lines of pictures whose process was killed` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path + "/.gst-capture/%n.jpg.ledger" }
    private var planned: String { path + "-planned" }

    private func ledger(_ position: SeriesPosition? = nil) -> Ledger {
        Ledger(path, series: .seconds(10), position: position)
    }

    /// Writes a picture, and returns its line.
    private func picture(_ index: Int, _ content: String = "picture") throws -> LedgerEntry {
        let (file, bytes) = (folder.path + "/\(index).jpg", Array("\(content) \(index)".utf8))
        try Data(bytes).write(to: URL(filePath: file))
        var entry = LedgerEntry.picture(index, file, sha256: SHA256.digits(of: bytes))
        guard case .captured(var still) = entry.outcome else { return entry }
        (still.byteCount, still.brightness) = (bytes.count, 1.0 / 3)
        entry.outcome = .captured(still)
        return entry
    }

    /// Runs a ledger that is killed when some pictures have their names, before it adds their lines.
    private func kill(_ position: SeriesPosition? = nil, recorded: [LedgerEntry], planned: [LedgerEntry]) async throws {
        let ledger = ledger(position)
        try await ledger.open()
        ledger.begin(at: .test(0))
        for entry in recorded {
            ledger.plan(entry)
            try await ledger.append([entry])
        }
        for entry in planned { ledger.plan(entry) }
        // The files of a killed process stay as they are, and its lock is free.
        await ledger.rest()
    }

    @Test(arguments: [0, 1]) func `A picture without a line gets it at the next start, in the series of the killed run`(
        recorded: Int
    ) async throws {
        let entries = try (0..<3).map { try picture($0) }
        try await kill(recorded: Array(entries.prefix(recorded)), planned: Array(entries.dropFirst(recorded)))
        #expect(try Ledger.recover(path) == 3 - recorded)
        let reader = try LedgerReader(path)
        #expect(try reader.lines() == entries)
        try reader.eachLine { #expect($0.check() == .good) }
        #expect(try reader.runs().count == 1 && reader.runs().first?.process == Int(getpid()))
        #expect(try reader.series().map(\.anchor) == [.test(0)])
        #expect(try reader.position()?.lastIndex == 2)
        #expect(!FileManager.default.fileExists(atPath: planned))
        #expect(try Ledger.recover(path) == 0)
    }

    @Test func `A run that resumes the series and is killed at its first picture leaves its line in that series`()
        async throws
    {
        try await kill(recorded: [try picture(0)], planned: [])
        let position = try #require(try LedgerReader(path).position())
        try await kill(position, recorded: [], planned: [try picture(4)])
        #expect(try Ledger.recover(path) == 1)
        let reader = try LedgerReader(path)
        #expect(try reader.series().count == 1 && reader.runs().count == 2)
        #expect(try reader.position()?.lastIndex == 4)
    }

    @Test func `A series that begins anew adds the lines of the killed one when it opens the ledger`() async throws {
        let entry = try picture(0)
        try await kill(recorded: [], planned: [entry])
        let ledger = ledger()
        try await ledger.open()
        #expect(try LedgerReader(path).lines() == [entry])
        await ledger.close(.completed)
    }

    @Test func `A planned picture that was not stored, or has other content, gets no line`() async throws {
        let entries = try (0..<3).map { try picture($0) }
        try await kill(recorded: [entries[0]], planned: [entries[1], entries[2]])
        try FileManager.default.removeItem(atPath: folder.path + "/1.jpg")
        _ = try picture(2, "of another program")
        #expect(try Ledger.recover(path) == 0)
        #expect(try LedgerReader(path).lines() == [entries[0]])
    }

    @Test(arguments: [LedgerEntry.failed(1, "no room"), .missed(1...1, "late"), .missed(1...100, "late")])
    func `The file of planned lines is gone as soon as the outcome of each slot is in the ledger`(
        outcome: LedgerEntry
    ) async throws {
        let ledger = ledger()
        try await ledger.open()
        ledger.begin(at: .test(0))
        let entry = try picture(0)
        ledger.plan(entry)
        ledger.plan(try picture(1))
        #expect(FileManager.default.fileExists(atPath: planned))
        try await ledger.append([entry])
        #expect(FileManager.default.fileExists(atPath: planned))
        try await ledger.append([outcome])
        #expect(!FileManager.default.fileExists(atPath: planned))
        await ledger.close(.completed)
    }

    @Test func `A picture whose line was dropped because too many wait has no planned line either`() async throws {
        let ledger = ledger()
        try await ledger.open()
        ledger.begin(at: .test(0))
        ledger.plan(try picture(0))
        try await ledger.append((0...10_000).map { .failed($0, "no room") })
        #expect(!FileManager.default.fileExists(atPath: planned))
        await ledger.close(.completed)
    }

    @Test func `The file of planned lines stays so small that the next start reads it`() async throws {
        let entries = try (0..<100).map { index in
            var entry = try picture(index)
            guard case .captured(var still) = entry.outcome else { return entry }
            still.controls = String(repeating: "a", count: 100_000)
            entry.outcome = .captured(still)
            return entry
        }
        try await kill(recorded: [], planned: entries)
        let count = try Ledger.recover(path)
        #expect(80..<100 ~= count)
        #expect(try LedgerReader(path).lines().count == count)
    }

    @Test func `Planned lines of a process that runs are left alone`() async throws {
        let ledger = ledger()
        try await ledger.open()
        ledger.begin(at: .test(0))
        let entry = try picture(0)
        ledger.plan(entry)
        #expect(throws: CaptureError.self) { try Ledger.recover(path) }
        try await ledger.append([entry])
        await ledger.close(.completed)
        #expect(try LedgerReader(path).lines() == [entry])
    }

    @Test func `Records that are cut off or damaged are passed over`() async throws {
        let entries = try (0..<2).map { try picture($0) }
        try await kill(recorded: [], planned: entries)
        let bytes = try Data(contentsOf: URL(filePath: planned))
        for count in 0..<bytes.count {
            try bytes.prefix(count).write(to: URL(filePath: planned))
            let found = PlannedLines.read(beside: LedgerPlace(path))?.entries ?? []
            #expect(found == Array(entries.prefix(count < bytes.count / 2 ? 0 : 1)))
        }
        var generator = SplitMix(1)
        for _ in 0..<2000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let index = Int.random(in: 0..<damaged.count, using: &generator)
                damaged[index] = UInt8.random(in: 0...255, using: &generator)
            }
            try damaged.write(to: URL(filePath: planned))
            _ = PlannedLines.read(beside: LedgerPlace(path))
        }
    }
}
