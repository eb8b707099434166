// Part of gst-capture. Apache License 2.0, see LICENSE.

import CSQLite
import CaptureBase
import CaptureTestSupport
import Foundation
import ScheduleKit
import Testing

@testable import DatabaseKit
@testable import LedgerKit

@Suite("Ledgers that other programs changed", .timeLimit(.minutes(5)))
struct HostileLedgerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    private var path: String { folder.path + "/a.ledger" }

    /// Makes a ledger with lines of all kinds.
    ///
    /// - Parameter removed: A picture that was captured and removed; `nil` for none.
    private func made(removed: String? = nil) async throws {
        let ledger = Ledger(path, series: .seconds(10))
        try await ledger.open()
        for index in 0..<50 {
            try await ledger.append([.picture(index * 3, nil), .missed((index * 3 + 1)...(index * 3 + 2), "lost")])
        }
        if let removed {
            try await ledger.append([.picture(150, removed)])
            try await ledger.append(LedgerRemoval(file: removed, time: .test(0), reason: "count"))
        }
        await ledger.close(.completed)
    }

    /// Reads everything, and opens the ledger to continue it; every fault must be a `CaptureError`.
    private func useIt() async throws -> CaptureError? {
        do throws(CaptureError) {
            let reader = try LedgerReader(path)
            _ = try (reader.series(), reader.runs(), reader.totals(), reader.position())
        } catch {
            #expect(!error.message.isEmpty && !error.message.contains("\n"))
            return error
        }
        let ledger = Ledger(path, series: .seconds(10))
        do throws(CaptureError) {
            try await ledger.open()
            try await ledger.append([.picture(0, nil)])
            await ledger.close(.completed)
            return nil
        } catch {
            await ledger.close(.completed)
            return error
        }
    }

    @Test("A ledger of random bytes is refused")
    func random() async throws {
        var random = SplitMix(1)
        for count in [1, 15, 16, 100, 4096, 100_000] {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            try Data(bytes).write(to: URL(filePath: path))
            #expect(try await useIt() != nil)
        }
    }

    @Test("A ledger that is truncated anywhere is an error or a shorter ledger")
    func truncated() async throws {
        try await made()
        let whole = try Data(contentsOf: URL(filePath: path))
        var random = SplitMix(1)
        for _ in 0..<100 {
            try whole.prefix(.random(in: 1..<whole.count, using: &random)).write(to: URL(filePath: path))
            _ = try await useIt()
        }
    }

    @Test("A ledger with random changes is an error or has other values, without a crash")
    func mutated() async throws {
        try await made()
        let whole = try Data(contentsOf: URL(filePath: path))
        var random = SplitMix(1)
        for round in 0..<300 {
            var bytes = whole
            for _ in 0..<(1 << (round % 8)) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            try bytes.write(to: URL(filePath: path))
            _ = try await useIt()
        }
    }

    @Test("An empty file becomes a ledger when it is opened, and is not read as one before")
    func empty() async throws {
        try Data().write(to: URL(filePath: path))
        #expect(throws: CaptureError.self) { try LedgerReader(path) }
        let ledger = Ledger(path, series: .seconds(10))
        try await ledger.open()
        try await ledger.append([.picture(0, nil)])
        await ledger.close(.completed)
        #expect(try LedgerReader(path).lines().count == 1)
    }

    @Test(
        "A ledger with another schema is refused with the reason",
        arguments: [
            ("PRAGMA user_version = 3", "newer"), ("PRAGMA application_id = 7", "another program"),
            ("DROP TRIGGER slots_no_update", "tables"), ("CREATE VIEW v AS SELECT 1", "tables"),
            ("CREATE TRIGGER t AFTER INSERT ON slots BEGIN SELECT 1; END", "tables"),
            ("ALTER TABLE slots ADD COLUMN x TEXT", "tables"), ("DROP TABLE removals", "tables"),
        ])
    func otherSchema(change: String, message: String) async throws {
        try await made()
        try Database(path, .create).run(change)
        let error = try #require(try await useIt())
        #expect(error.message.contains(message), "\(error)")
        #expect(error.advice != nil)
    }

    @Test("A ledger is checked in one transaction, in which the changes of other programs are not visible")
    func transaction() async throws {
        StatementLog.install()
        try await made()
        let database = try Database(path, .read)
        let log = try await StatementLog.statements(on: path) { _ = try LedgerSchema.check(database) }
        #expect(log.first?.text == "BEGIN" && log.last?.text == "ROLLBACK", "\(log.map(\.text))")
        let versions = try database.snapshot { () throws(DatabaseError) in
            let before = try database.number("PRAGMA user_version")
            try Database(path, .write).run("PRAGMA user_version = 7")
            return [before, try database.number("PRAGMA user_version")]
        }
        #expect(versions == [LedgerSchema.version, LedgerSchema.version])
        #expect(try database.number("PRAGMA user_version") == 7)
    }

    @Test("The database of another program is refused, and stays byte for byte as it is")
    func otherProgram() async throws {
        try Database(path, .create).run("CREATE TABLE mine(x); INSERT INTO mine VALUES (1)")
        let before = try Data(contentsOf: URL(filePath: path))
        let ledger = Ledger(path, series: .seconds(10))
        let error = await #expect(throws: CaptureError.self) { try await ledger.open() }
        #expect(error?.message.contains("another program") == true)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test(
        "Impossible values in a ledger are an error",
        arguments: [
            ("first", "-1"), ("last", "9223372036854775807"), ("due_zone", "86400"), ("bytes", "-5"),
            ("error_ms", "9e999"), ("sequence", "9223372036854775807"), ("captured_ns", "NULL"),
            ("width", "NULL"), ("outcome", "'eaten'"), ("cause", "'whim'"),
        ])
    func values(column: String, value: String) async throws {
        try await made()
        try insert(column, value)
        let error = try #require(try await useIt())
        #expect(error.code == .inputOutput, "\(error)")
    }

    @Test(
        "Huge values in a ledger are read, and totals do not overflow",
        arguments: [
            ("due_ns", "9223372036854775807"), ("due_ns", "-9223372036854775808"), ("bytes", "1152921504606846976"),
            ("error_ms", "1e300"), ("brightness", "-1e300"), ("first", "0"), ("last", "1152921504606846976"),
            ("file", "printf('%.*c', 4000, '/')"), ("file", "'../../../../etc/passwd'"),
            ("controls", "'{\"a\":'"), ("sha256", "char(27) || '[2J'"), ("sequence", "1152921504606846975"),
        ])
    func huge(column: String, value: String) async throws {
        try await made()
        try insert(column, value)
        try insert(column, value)
        let reader = try LedgerReader(path)
        try reader.eachLine { _ = $0.check() }
        _ = try (reader.totals(), reader.position())
    }

    @Test(
        "A ledger with any value in any column can be read, listed, verified and resumed, or is refused",
        arguments: CraftedLedger.places)
    func anyValue(table: String, column: String) async throws {
        try await made(removed: folder.path + "/1.jpg")
        let sound = folder.path + "/sound.ledger"
        try FileManager.default.moveItem(atPath: path, toPath: sound)
        for value in CraftedLedger.values {
            // Only this table has several rows.
            for isLastOnly in table == "slots" ? [false, true] : [false] {
                let crafted = try CraftedLedger(path, from: sound)
                // No table can hold such a value in its INTEGER PRIMARY KEY.
                guard try crafted.set(table, column, value, isLastOnly: isLastOnly) else { continue }
                try crafted.pretend()
                _ = try await useIt()
                await resumeIt()
                #expect(DeviceFiles.exists(path))
            }
        }
    }

    /// Does the same as a resumed capture, and reads its pictures for limits.
    private func resumeIt() async {
        do throws(CaptureError) {
            let reader = try LedgerReader(path)
            try reader.eachLine { _ = $0.check() }
            try reader.eachStoredStill { still in #expect(still.byteCount >= 0) }
            guard let position = try reader.position() else { return }
            let schedule = Schedule.every(.seconds(10))
            _ = (schedule.firstDue(goingOn: position), schedule.total(goingOn: position))
            let ledger = Ledger(path, series: .seconds(10), position: position)
            try await ledger.open()
            try await ledger.append([.missed((position.lastIndex + 1)...(position.lastIndex + 2), "lost")])
            await ledger.close(.completed)
        } catch {
            #expect(!error.message.isEmpty && !error.message.contains("\n"))
        }
    }

    @Test(
        "A folder, a FIFO and a dangling link are refused as a ledger, without waiting",
        arguments: ["folder", "fifo", "link"])
    func noFile(kind: String) async throws {
        switch kind {
        case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "fifo": try #require(mkfifo(path, 0o600) == 0)
        default: try folder.link("a.ledger", to: "/nowhere/at/all")
        }
        #expect(throws: CaptureError.self) { try LedgerReader(path) }
        let ledger = Ledger(path, series: .seconds(10))
        await #expect(throws: CaptureError.self) { try await ledger.open() }
    }

    @Test("A lock file with any content is accepted, and a link in its place is not followed")
    func lockFile() async throws {
        try folder.write("a.ledger-lock", "nonsense")
        try await made()
        try folder.write("victim", "text")
        try folder.link("a.ledger-lock", to: folder.path + "/victim")
        let ledger = Ledger(path, series: .seconds(10))
        await #expect(throws: CaptureError.self) { try await ledger.open() }
        #expect(try String(contentsOfFile: folder.path + "/victim", encoding: .utf8) == "text")
    }

    /// Adds a line with a hostile value in one column.
    private func insert(_ column: String, _ value: String) throws {
        let names = LedgerEntry.columns.split(separator: ", ").map(String.init)
        let row = names.map { $0 == column ? value : $0 }.joined(separator: ", ")
        try Database(path, .create).run(
            """
            PRAGMA ignore_check_constraints = ON;
            INSERT INTO slots(run, \(LedgerEntry.columns))
            SELECT run, \(row) FROM slots WHERE outcome = 'captured' ORDER BY id DESC LIMIT 1
            """)
    }
}
