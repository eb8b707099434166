// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Foundation
import LedgerKit
import Testing

@testable import LibraryKit

@Suite("Pictures of ledgers")
struct LedgerSourceTests {
    private let folder: TemporaryFolder
    private let index: LibraryIndex

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/state", withIntermediateDirectories: true)
        index = try LibraryIndex(folder: folder.path + "/state", board: .test)
    }

    private var path: String { folder.path + "/.gst-capture/%n.jpg.ledger" }
    private var source: LedgerSource { LedgerSource(ledger: path, series: "garden", camera: "desk") }

    private func file(_ number: Int) -> String { "\(folder.path)/\(number).jpg" }

    private func append(_ entries: [LedgerEntry], removing removals: [LedgerRemoval] = []) async throws {
        let ledger = Ledger(path, series: .seconds(10))
        try await ledger.open()
        ledger.begin(at: .test(0))
        try await ledger.append(entries)
        for removal in removals { try await ledger.append(removal) }
        await ledger.close(.completed)
    }

    @Test("Each picture of a ledger is in the index; slots without one are not")
    func pictures() async throws {
        try await append([.picture(0, file(0)), .missed(1...2, "lost"), .picture(3, nil), .picture(4, file(4))])
        let changes = try source.catchUp(index)
        #expect(changes.putCount == 2 && changes.put.map { "\($0)" } == ["garden-pi.garden-1", "garden-pi.garden-4"])
        let found = try #require(try index.item(ItemID("garden-pi.garden-4")!))
        #expect(found.places.map(\.path) == [file(4)])
        #expect(found.item.facts.taken == .test(40) && found.item.facts.camera == "desk")
        #expect(found.item.facts.sha256 == String(repeating: "0a", count: 32) && found.item.facts.brightness == 0.5)
    }

    @Test("A ledger that is missing or empty, as that of a series that begins, has no pictures yet")
    func begins() throws {
        #expect(try source.catchUp(index).isEmpty)
        try folder.write(".gst-capture/%n.jpg.ledger", "")
        #expect(try source.catchUp(index).isEmpty)
        let scan = try LibraryScan(index, folder: folder.path, report: { Issue.record($0) })
        #expect(scan.changes.isEmpty)
    }

    @Test("Reading resumes after the last line, and follows removals")
    func goesOn() async throws {
        try await append([.picture(0, file(0)), .picture(1, file(1))])
        #expect(try source.catchUp(index).putCount == 2)
        #expect(try source.catchUp(index).isEmpty)
        let removal = LedgerRemoval(file: file(0), time: .test(50), reason: "age")
        try await append([.picture(2, file(2))], removing: [removal])
        let changes = try source.catchUp(index)
        #expect(changes.put.map { "\($0.origin)" } == ["garden-3"])
        #expect(changes.removed.map { "\($0.origin)" } == ["garden-1"])
        #expect(try index.found() == ["garden-3", "garden-2"])
    }

    @Test("An older copy of the ledger that was restored begins from nothing")
    func restored() async throws {
        try await append([.picture(0, file(0)), .picture(1, file(1))])
        let copy = folder.path + "/older"
        try FileManager.default.copyItem(atPath: folder.path + "/.gst-capture", toPath: copy)
        try await append([.picture(2, file(2)), .picture(3, file(3))])
        _ = try source.catchUp(index)
        #expect(try index.found().count == 4)
        try FileManager.default.removeItem(atPath: folder.path + "/.gst-capture")
        try FileManager.default.moveItem(atPath: copy, toPath: folder.path + "/.gst-capture")
        _ = try source.catchUp(index)
        #expect(try index.found() == ["garden-2", "garden-1"])
        try await append([.picture(2, file(7))])
        _ = try source.catchUp(index)
        #expect(try index.found() == ["garden-3", "garden-2", "garden-1"])
    }

    @Test("A picture that replaced another one has its file alone")
    func replaced() async throws {
        try await append([.picture(0, file(0))])
        _ = try source.catchUp(index)
        try await append([.picture(1, file(0))])
        _ = try source.catchUp(index)
        #expect(try index.found() == ["garden-2"])
    }

    @Test("A ledger cannot name files outside of its folder, nor files that are no pictures")
    func foreignFiles() async throws {
        try await append([
            .picture(0, "/etc/passwd.jpg"), .picture(1, folder.path + "/../other.jpg"),
            .picture(2, folder.path + "/id_rsa"),
            .picture(3, file(3)),
        ])
        #expect(try source.catchUp(index).putCount == 1)
        #expect(try index.found() == ["garden-4"])
    }

    @Test("Another ledger at the path begins from nothing")
    func otherLedger() async throws {
        try await append([.picture(0, file(0)), .picture(1, file(1))])
        _ = try source.catchUp(index)
        try FileManager.default.removeItem(atPath: folder.path + "/.gst-capture")
        let ledger = Ledger(path, series: .seconds(10))
        try await ledger.open()
        ledger.begin(at: .test(500))
        try await ledger.append([.picture(7, file(7))])
        await ledger.close(.completed)
        _ = try source.catchUp(index)
        #expect(try index.found() == ["garden-1"])
        #expect(try index.item(at: ItemPlace(path: file(7))) != nil)
    }

    @Test("Many lines are read in several transactions, and give the same index as one by one")
    func batches() async throws {
        let count = LedgerSource.batch * 2 + 10
        // A ledger queues at most 10,000 lines.
        for start in [0, LedgerSource.batch + 5] {
            try await append((start..<start + LedgerSource.batch + 5).map { .picture($0, file($0)) })
        }
        var steps: [Int] = []
        let changes = try source.catchUp(index) { done, last in
            steps.append(done)
            #expect(last == count)
        }
        #expect(changes.putCount == count && steps == [5000, 10_000, count])
        #expect(changes.put.count <= 2 * LibraryChanges.mostNamed)
        #expect(try index.count(LibraryQuery()) == count)
    }

    @Test("A scan that began before the service named a series leaves it its name, also between two transactions")
    func namedMeanwhile() async throws {
        let count = LedgerSource.batch + 5
        try await append((0..<count).map { .picture($0, file($0)) })
        var isFirst = true
        let changes = try LedgerSource.catchUp(unnamed: path, index) { [source, index] _, _ in
            if isFirst { #expect((try? source.catchUp(index).putCount) == count) }
            isFirst = false
        }
        #expect(changes.putCount == LedgerSource.batch)
        #expect(try index.found("series:garden camera:desk").count == count && index.found().count == count)
        #expect(try LedgerSource.catchUp(unnamed: path, index).isEmpty && source.catchUp(index).isEmpty)
    }

    @Test("A picture that its ledger adds while a scan reads its file stays one of the ledger")
    func addedMeanwhile() async throws {
        try await append([.picture(0, file(0))])
        try await Data(JPEGFile.made().bytes).write(to: URL(filePath: file(0)))
        try folder.write("empty.jpg", "")
        _ = try FolderScan.begin(index, folder.path)
        // The scan reports the empty file after it has listed both.
        let scan = FolderScan(index, folder: folder.path) { [source, index] _ in
            #expect((try? source.catchUp(index).putCount) == 1)
        } progress: { _ in
        }
        _ = try scan.run(accepts: false)
        #expect(try index.found() == ["garden-1"])
    }

    @Test("A series that a scan has found gets the name of the configuration")
    func namedLater() async throws {
        try await append([.picture(0, file(0))])
        #expect(try LedgerSource.catchUp(unnamed: path, index).putCount == 1)
        #expect(try source.catchUp(index).putCount == 1)
        #expect(try index.found() == ["garden-1"])
        #expect(try LedgerSource.catchUp(unnamed: path, index).isEmpty)
    }

    @Test("A rebuilt index equals one that followed the ledger")
    func rebuilt() async throws {
        for round in 0..<5 {
            let entries = (0..<4).map { LedgerEntry.picture(round * 4 + $0, file(round * 4 + $0)) }
            let removal = LedgerRemoval(file: file(round * 4), time: .test(0), reason: "count")
            try await append(entries, removing: [removal])
            _ = try source.catchUp(index)
        }
        let other = try TemporaryFolder()
        let rebuilt = try LibraryIndex(other)
        _ = try source.catchUp(rebuilt)
        #expect(try index.dump == rebuilt.dump && index.dump.count == 15)
    }

    @Test("A line with invalid values, or on a damaged page, keeps no other picture from the index, and is counted")
    func damaged() async throws {
        var invalid = LedgerEntry.picture(1, file(1))
        if case .captured(var still) = invalid.outcome {
            still.captured = WallTime(seconds: 0, nanoseconds: 0, utcOffset: 999_999)
            invalid.outcome = .captured(still)
        }
        try await append([.picture(0, file(0)), invalid] + (2..<400).map { .picture($0, file($0)) })
        _ = try source.catchUp(index)
        #expect(try index.found().count == 399 && index.damagedLines(of: path) == 1)
        // A leaf of the table, after the first pages.
        var bytes = try Array(RegularFile.read(path, most: 1 << 24))
        let needle = Array("200.jpg".utf8)
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: needle) })
        let page = place / 4096 * 4096
        for offset in page..<page + 100 { bytes[offset] = 0xFF }
        try Data(bytes).write(to: URL(filePath: path))
        let other = try TemporaryFolder()
        let new = try LibraryIndex(other)
        _ = try source.catchUp(new)
        let found = try Set(new.found(limit: 500))
        #expect(found.contains("garden-1") && found.contains("garden-400") && !found.contains("garden-201"))
        #expect(try new.damagedLines(of: path) == 400 - found.count)
    }
}
#endif
