// Part of gst-capture. Apache License 2.0, see LICENSE.

import CSQLite
import CaptureBase
import CaptureTestSupport
import Foundation
import ScheduleKit
import Testing

@testable import DatabaseKit
@testable import LedgerKit

@Suite("The ledger", .timeLimit(.minutes(5)))
struct LedgerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path + "/.gst-capture/%n.jpg.ledger" }

    private func ledger(
        _ position: SeriesPosition? = nil, report: @escaping @Sendable (Notice) -> Void = { _ in }
    ) -> Ledger {
        Ledger(path, series: .seconds(10), position: position, report: report)
    }

    @Test("Entries of a ledger are read as written, to the nanosecond, and their paths move with the folder")
    func roundTrip() async throws {
        let entries = [
            LedgerEntry.picture(0, folder.path + "/1.jpg"), .missed(1...3, "lost"), .failed(4, "disk full"),
            LedgerEntry.picture(5, "/elsewhere/2.jpg"), LedgerEntry.picture(6, nil),
        ]
        let ledger = ledger()
        try await ledger.open()
        ledger.begin(at: .test(0))
        try await ledger.append(entries)
        await ledger.close(.stopped)
        let reader = try LedgerReader(path)
        #expect(try reader.lines() == entries)
        let series = try #require(try reader.series().first)
        #expect(series.anchor == .test(0) && series.description == .seconds(10))
        let run = try #require(try reader.runs().first)
        #expect(run.process == Int(getpid()) && run.end?.ending == "stopped")
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + "-moved")
        defer { try? FileManager.default.removeItem(atPath: folder.path + "-moved") }
        let moved = try LedgerReader(folder.path + "-moved/.gst-capture/%n.jpg.ledger").lines()
        #expect(moved.first?.still?.file == folder.path + "-moved/1.jpg")
        #expect(moved[3].still?.file == "/elsewhere/2.jpg")
    }

    @Test("An append returns the numbers of its lines, and not those of queued lines")
    func numbers() async throws {
        let ledger = ledger()
        #expect(try await ledger.append([.picture(0, nil)]).isEmpty)
        try await ledger.open()
        ledger.begin(at: .test(0))
        ledger.record(.missed(1...2, "lost"))
        let numbers = try await ledger.append([.picture(3, nil), .picture(4, nil)])
        var slots: [Int: ClosedRange<Int>] = [:]
        try LedgerReader(path).eachLine(LedgerFilter()) { line throws(CaptureError) in slots[line.id] = line.entry.slots
        }
        #expect(numbers.map { slots[$0] } == [3...3, 4...4] && slots.count == 4)
        ledger.record([LedgerRemoval(file: "1.jpg", time: .test(9), reason: "age")])
        #expect(try await ledger.append([.picture(5, nil)]).count == 1)
        await ledger.close(.completed)
        #expect(try await ledger.append([.picture(6, nil)]).isEmpty)
    }

    @Test("A call of an actor on the ledger's executor changes no thread: no other work of the executor comes first")
    func sharedExecutor() async throws {
        let owner = LedgerOwner(path)
        try await owner.ledger.open()
        #expect(try await owner.isOvertaken() == false)
        #expect(try await owner.ledger.totals().missed.values.reduce(0, +) == 1)
        await owner.ledger.close(.completed)
    }

    @Test("A ledger can be read while it is written, and leaves no other file behind")
    func readMeanwhile() async throws {
        let ledger = ledger()
        try await ledger.open()
        for index in 0..<3 {
            try await ledger.append([.picture(index, nil)])
            #expect(try LedgerReader(path).lines().count == index + 1)
        }
        await ledger.close(.completed)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.gst-capture").count == 1)
    }

    @Test("Reading a ledger in the process that writes it keeps SQLite's lock on the file")
    func lockOfWriter() async throws {
        let ledger = ledger()
        try await ledger.open()
        try await ledger.append([.picture(0, nil)])
        // Closing it drops the locks of this process, so it stays open until the ledger is closed.
        let file = open(path, O_RDWR | O_CLOEXEC)
        defer { close(file) }
        try #require(isLocked(file))
        #expect(try LedgerReader(path).lines().count == 1)
        _ = try await ledger.totals()
        #expect(isLocked(file), "another reader could remove the log that the writer has open")
        await ledger.close(.completed)
        #expect(!isLocked(file))
    }

    /// Returns `true` if a process, this one included, has locked a part of a file (`fcntl(2)`).
    private func isLocked(_ file: Int32) -> Bool {
        var lock = Glibc.flock()
        (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
        // F_OFD_GETLK, which Glibc declares for GNU programs only. F_GETLK ignores the locks of this process.
        return fcntl(file, 36, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }

    @Test("A picture that cannot be looked up is unreadable, and not missing")
    func unreadable() async throws {
        try folder.link("loop", to: "loop")
        let ledger = ledger()
        try await ledger.open()
        let names = ["none.jpg", "none/1.jpg", "loop/1.jpg"]
        try await ledger.append(names.enumerated().map { .picture($0, folder.path + "/" + $1) })
        await ledger.close(.completed)
        var checks: [LedgerCheck] = []
        try LedgerReader(path).eachLine { checks.append($0.check()) }
        #expect(checks == [.missing, .missing, .unreadable("too many levels of symbolic links")])
    }

    @Test("Lines are queued while another program has the ledger locked")
    func lockedByOthers() async throws {
        let ledger = ledger()
        try await ledger.open()
        try await ledger.append([.picture(0, nil)])
        do {
            let other = try Database(path, .write)
            try other.run("BEGIN IMMEDIATE")
            let error = await #expect(throws: CaptureError.self) { try await ledger.append([.picture(1, nil)]) }
            #expect(error?.code == .temporary)
            try other.run("COMMIT")
        }
        try await ledger.append([.picture(2, nil)])
        await ledger.close(.completed)
        #expect(try LedgerReader(path).lines() == (0...2).map { .picture($0, nil) })
    }

    @Test("A resumed series continues at its position, and its gaps are filled in")
    func position() async throws {
        let first = ledger()
        try await first.open()
        first.begin(at: .test(0))
        // A slot that was being written when the program was killed has no line.
        try await first.append([.picture(0, nil), .missed(2...4, "backlog"), .picture(6, nil)])
        await first.close(.completed)
        let position = try #require(try LedgerReader(path).position())
        #expect(position == SeriesPosition(anchor: .test(0), lastIndex: 6, lastDue: .test(60), nextSequence: 7))
        let second = ledger(position)
        try await second.open()
        second.begin(at: .test(1000))
        try await second.append([.picture(7, nil)])
        await second.close(.completed)
        let reader = try LedgerReader(path)
        #expect(try reader.series().count == 1)
        #expect(try reader.runs().count == 2)
        let gaps = try reader.lines().filter { $0.outcome == .missed(reason: "unrecorded") }
        #expect(gaps.map(\.slots) == [1...1, 5...5])
        #expect(gaps.map(\.due.seconds) == [WallTime.test(10), .test(50)].map(\.seconds))
        #expect(try reader.position()?.lastIndex == 7)
    }

    @Test("A new run that does not resume begins a new series, and a run without slots adds nothing")
    func series() async throws {
        for index in 0..<3 {
            let ledger = ledger()
            try await ledger.open()
            if index != 1 { try await ledger.append([.picture(0, nil)]) }
            await ledger.close(.completed)
        }
        #expect(try LedgerReader(path).series().map(\.id) == [1, 2])
        #expect(try LedgerReader(path).runs().map(\.series) == [1, 2])
    }

    @Test("A second writer of a ledger is refused, and the error names the process of the first")
    func twice() async throws {
        let (first, second) = (ledger(), ledger())
        try await first.open()
        let error = await #expect(throws: CaptureError.self) { try await second.open() }
        #expect(error?.code == .temporary)
        #expect(error?.message.contains("\(getpid())") == true)
        await first.close(.completed)
        try await second.open()
        await second.close(.completed)
    }

    @Test("An outdated position in a ledger is refused")
    func stale() async throws {
        let first = ledger()
        try await first.open()
        try await first.append([.picture(0, nil), .picture(1, nil)])
        await first.close(.completed)
        let stale = SeriesPosition(anchor: .test(0), lastIndex: 0, lastDue: .test(0))
        let error = await #expect(throws: CaptureError.self) { try await ledger(stale).open() }
        #expect(error?.code == .temporary)
    }

    @Test("Recorded lines are written with the next line or at the end, in one transaction")
    func notes() async throws {
        let ledger = ledger()
        try await ledger.open()
        for index in 0..<1000 { ledger.record(.missed(index...index, "lost")) }
        try await ledger.append([.picture(1000, nil)])
        #expect(try LedgerReader(path).lines().map(\.slots.lowerBound) == Array(0...1000))
        ledger.record(.missed(1001...1001, "lost"))
        await ledger.close(.completed)
        #expect(try LedgerReader(path).lines().count == 1002)
    }

    @Test("Recorded lines are written soon without a later line")
    func soon() async throws {
        let ledger = ledger()
        try await ledger.open()
        ledger.record(.missed(0...0, "lost"))
        while try LedgerReader.lineCount(path) == 0 { await Task.yield() }
        await ledger.close(.completed)
    }

    @Test(
        "The schema of a ledger forbids changing or removing lines",
        arguments: ["UPDATE slots SET file = 1", "DELETE FROM slots"])
    func appendOnly(statement: String) async throws {
        let ledger = ledger()
        try await ledger.open()
        try await ledger.append([.picture(0, nil)])
        await ledger.close(.completed)
        let database = try Database(path, .create)
        let error = #expect(throws: DatabaseError.self) { try database.run(statement) }
        #expect(error?.message.contains("only added to") == true)
    }

    @Test("A removed picture has a line with the reason")
    func removal() async throws {
        let file = folder.path + "/1.jpg"
        let ledger = ledger()
        try await ledger.open()
        try await ledger.append([.picture(0, file)])
        try await ledger.append(LedgerRemoval(file: file, time: .test(99), reason: "to make room"))
        #expect(try await ledger.totals().removed == 1)
        await ledger.close(.completed)
        var removals: [LedgerRemoval?] = []
        try LedgerReader(path).eachLine { removals.append($0.removal) }
        #expect(removals == [LedgerRemoval(file: file, time: .test(99), reason: "to make room")])
    }

    @Test("The lines of a ledger can be filtered by outcome, time, slot and number of lines")
    func filters() async throws {
        let ledger = ledger()
        try await ledger.open()
        try await ledger.append(
            [.picture(0, nil), .missed(1...9, "lost"), .failed(10, "x"), .picture(11, nil, isLate: true)])
        await ledger.close(.completed)
        func slots(_ change: (inout LedgerFilter) -> Void) throws -> [Int] {
            var filter = LedgerFilter()
            change(&filter)
            return try LedgerReader(path).lines(filter).map(\.slots.lowerBound)
        }
        #expect(try slots { $0.outcomes = [.captured] } == [0, 11])
        #expect(try slots { $0.outcomes = [.late, .failed] } == [10, 11])
        #expect(try slots { $0.since = .test(50) } == [1, 10, 11])
        #expect(try slots { $0.until = .test(10) } == [0])
        #expect(try slots { $0.slots = 9...10 } == [1, 10])
        #expect(try slots { $0.limit = 2 } == [10, 11])
        #expect(try slots { $0.order = .slots } == [0, 1, 10, 11])
    }

    @Test("The lines of a ledger can be read in the order of their series and slots")
    func order() async throws {
        for indices in [[0, 1, 3, 2], [1, 0]] {
            let ledger = ledger()
            try await ledger.open()
            try await ledger.append(indices.map { .picture($0, nil) })
            await ledger.close(.completed)
        }
        var filter = LedgerFilter()
        filter.order = .slots
        #expect(try LedgerReader(path).lines(filter).map(\.slots.lowerBound) == [0, 1, 2, 3, 0, 1])
        filter.limit = 3
        #expect(try LedgerReader(path).lines(filter).map(\.slots.lowerBound) == [3, 0, 1])
        filter.order = .written
        #expect(try LedgerReader(path).lines(filter).map(\.slots.lowerBound) == [2, 1, 0])
    }

    @Test("The totals of a ledger count slots, pictures and reasons")
    func totals() async throws {
        let ledger = ledger()
        try await ledger.open()
        try await ledger.append(
            [.picture(0, nil), .missed(1...9, "lost"), .missed(10...10, "late"), .picture(11, nil, isLate: true)])
        let totals = try await ledger.totals()
        await ledger.close(.completed)
        #expect(totals.captured == 2 && totals.late == 1 && totals.missed == ["lost": 9, "late": 1])
        #expect(totals.byteCount == 2000 && totals.first == .test(0) && totals.last == .test(110))
        #expect(totals.worstError == 2.5)
    }

    @Test("Reading a ledger needs no write access", .enabled(if: getuid() != 0, "optional: root may write everywhere"))
    func readOnly() async throws {
        let ledger = ledger()
        try await ledger.open()
        try await ledger.append([.picture(0, nil)])
        await ledger.close(.completed)
        let hidden = folder.path + "/.gst-capture"
        chmod(hidden, 0o555)
        chmod(path, 0o444)
        defer { chmod(hidden, 0o755) }
        #expect(try LedgerReader(path).lines().count == 1)
    }
}

/// An actor on the executor of its ledger.
private actor LedgerOwner {
    private let executor = BlockingExecutor("a test")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    nonisolated let ledger: Ledger
    private var hasOtherWorkRun = false

    init(_ path: String) {
        ledger = Ledger(path, series: .seconds(10), position: nil, on: executor) { _ in }
    }

    /// Appends a line after other work was added to the executor; returns `true` if that work runs before the line is
    /// durable.
    func isOvertaken() async throws -> Bool {
        let other = Task { hasOtherWorkRun = true }
        try await ledger.append([.missed(0...0, "lost")])
        let isOvertaken = hasOtherWorkRun
        await other.value
        return isOvertaken
    }
}
