// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

@testable import CaptureKit
@testable import DatabaseKit
@testable import LedgerKit
@testable import gst_capture

@Suite("The ledger command", .timeLimit(.minutes(5)))
struct LedgerCommandTests {
    /// A folder with a timelapse of at least five pictures, however slow the machine is.
    private func series() async throws -> Command {
        let command = try Command()
        let process = try command.start(
            "timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--interval", "200ms", "-o",
            "day %d/%n.jpg", "--json")
        for _ in 0..<5 { _ = try await process.event("captured") }
        process.finish()
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        return command
    }

    @Test("The ledger command shows a line for each slot, and a summary")
    func table() async throws {
        let command = try await series()
        let outcome = try await command.run("ledger")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.lines.first?.contains("day %d/%n.jpg, every 200ms; begun 20") == true, "\(outcome.text)")
        // On a slow machine pictures can be late, and slots missed.
        let pictures = try await command.run("ledger", "--outcome", "captured", "--limit", "0", "--json").events
        #expect(pictures.count >= 5)
        for picture in pictures.suffix(LedgerReport.shownLines) {
            let (file, isLate): (String?, Bool?) = (picture["file"], picture["late"])
            let name = try #require(file).split(separator: "/").suffix(2).joined(separator: "/")
            let line = try #require(outcome.lines.first { $0.contains(name) }, "\(outcome.text)")
            #expect(line.contains(isLate == true ? "late" : "captured"))
        }
        #expect(outcome.lines.last?.hasPrefix("\(pictures.count) picture") == true, "\(outcome.text)")
        let last = try await command.run("ledger", "--limit", "1")
        #expect(last.lines.count == 3 && last.lines.last == outcome.lines.last, "\(last.text)")
    }

    @Test(
        "A reader that may not write sees the lines of a series that runs",
        .enabled("optional: nothing can be mounted here") { MountSpace.isAllowed })
    func readOnly() async throws {
        let command = try Command()
        let process = try command.start(
            "timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--interval", "200ms", "-o",
            "%n.jpg", "--json")
        for _ in 0..<3 { _ = try await process.event("captured") }
        let space = try MountSpace()
        try space.run("mount", "--bind", "-o", "ro", command.folder.path, command.folder.path)
        let reader = try RunningCommand(
            ["ledger", command.folder.path, "--json"], in: URL(filePath: "/"), launcher: space.launcher)
        let outcome = await reader.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try outcome.events.count >= 3)
        process.finish()
        _ = await process.outcome()
    }

    @Test("JSON and CSV exports have the same names and values")
    func exports() async throws {
        let command = try await series()
        let json = try await command.run("ledger", ".", "--json").events
        let csv = try await command.run("ledger", ".", "--csv").text.components(separatedBy: "\r\n")
        #expect(json.count + 2 == csv.count && csv.last == "")
        let names = try #require(csv.first).components(separatedBy: ",")
        for (event, row) in zip(json, csv.dropFirst()) {
            let cells = Dictionary(uniqueKeysWithValues: zip(names, row.components(separatedBy: ",")))
            #expect(cells["slot"] == (event["slot"] as Int?).map { "\($0)" })
            #expect(cells["file"] == event["file"] ?? "")
            #expect(cells["sha256"] == event["sha256"] ?? "")
            #expect(cells["due"] == event["due"])
        }
    }

    @Test("Slots are counted up to the largest number, however many a ledger claims")
    func overflow() async throws {
        let command = try Command()
        let now = WallTime.now()
        try await write(
            (0..<9).map { reason in
                LedgerEntry(
                    slots: 0...(1 << 60), cause: .schedule, due: now, lastDue: now,
                    outcome: .missed(reason: "reason \(reason)"))
            }, to: command.folder.path + "/a.ledger")
        let outcome = try await command.run("ledger", "a.ledger")
        #expect(outcome.status == 0 && outcome.text.contains("\(Int.max) missed"), "\(outcome.text)\(outcome.error)")
    }

    @Test(
        "The largest and smallest values of each column can be shown, exported and verified",
        arguments: [[], ["--json", "--limit", "0"], ["--csv"], ["--verify"]])
    func extremes(options: [String]) async throws {
        let command = try Command()
        let path = command.folder.path + "/a.ledger"
        let (now, most) = (WallTime.now(), 1 << 60)
        let still = LedgerStill(
            captured: now, errorMilliseconds: 0, isLate: false, file: "1.jpg", byteCount: 1, width: 1, height: 1,
            sha256: nil, brightness: nil, sharpness: nil, controls: nil, burstIndex: 0, sequence: 1)
        try await write(
            [LedgerEntry(slots: 0...0, cause: .schedule, due: now, lastDue: now, outcome: .captured(still))], to: path)
        let columns = LedgerEntry.columns.split(separator: ", ").map(String.init)
        let moments = ["due_ns", "last_due_ns", "captured_ns"].flatMap { name in
            [Int64.min, .max].map { (name, "\($0)") }
        }
        let sizes = ["last", "bytes", "width", "height", "burst_index", "sequence"].map { ($0, "\(most)") }
        let reals = ["error_ms", "brightness", "sharpness"].flatMap { name in ["1e308", "-1e308"].map { (name, $0) } }
        let zones = ["due_zone", "captured_zone"].flatMap { name in ["86399", "-86399"].map { (name, $0) } }
        for (name, value) in moments + sizes + reals + zones {
            let row = columns.map { $0 == name ? value : $0 }.joined(separator: ", ")
            try Database(path, .write).run(
                "INSERT INTO slots(run, \(columns.joined(separator: ", "))) SELECT run, \(row) FROM slots WHERE id = 1")
        }
        let outcome = try await RunningCommand(["ledger", "a.ledger"] + options, in: command.folder).outcome()
        #expect(outcome.status == (options == ["--verify"] ? 74 : 0), "\(outcome.error)")
    }

    @Test("Control characters of a ledger do not reach the terminal", arguments: [[], ["--verify"]])
    func controls(options: [String]) async throws {
        let command = try Command()
        let now = WallTime.now()
        let still = LedgerStill(
            captured: now, errorMilliseconds: 0, isLate: false, file: "\u{1B}[2J.jpg", byteCount: 1, width: 1,
            height: 1, sha256: nil, brightness: nil, sharpness: nil, controls: nil, burstIndex: 0, sequence: 1)
        try await write(
            [LedgerEntry(slots: 0...0, cause: .schedule, due: now, lastDue: now, outcome: .captured(still))],
            to: command.folder.path + "/a.ledger", template: "\u{1B}[2J%n.jpg")
        let outcome = try await RunningCommand(["ledger", "a.ledger"] + options, in: command.folder).outcome()
        let text = outcome.text
        #expect(text.contains("[2J.jpg") && !text.contains("\u{1B}"), "\(text.debugDescription)")
    }

    private func write(_ entries: [LedgerEntry], to path: String, template: String = "%n.jpg") async throws {
        let series = SeriesDescription(template: template, interval: .seconds(1), schedule: "every 1s")
        let ledger = Ledger(path, series: series)
        try await ledger.open()
        try await ledger.append(entries)
        await ledger.close(.completed)
    }

    @Test("The event of a picture has the same values as its line")
    func event() async throws {
        let command = try Command()
        let outcome = try await command.run(
            "timelapse", "--camera", "scene", "--interval", "1h", "--count", "1", "-o", "%n.jpg", "--json")
        let still = try #require(try outcome.events.first { $0.name == "captured" })
        let line = try #require(try await command.run("ledger", "--json").events.first)
        for name in ["sha256", "cause", "due"] { #expect((still[name] as String?) == line[name]) }
        for name in ["brightness", "sharpness"] { #expect((still[name] as Double?) == line[name]) }
        #expect((still["bytes"] as Int?) == line["bytes"])
    }

    @Test("Lines can be filtered by slot, outcome and time")
    func filters() async throws {
        let command = try await series()
        /// The slots of each line: slots that are missed in a row share one.
        func slots(_ arguments: String...) async throws -> [[Int]] {
            let outcome = try await RunningCommand(["ledger", "--json"] + arguments, in: command.folder).outcome()
            return try outcome.events.map(\.slots)
        }
        let all = try await slots()
        #expect(try await slots("--slots", "2-3") == all.filter { $0.contains { 1...2 ~= $0 } })
        #expect(try await slots("--limit", "1") == all.suffix(1))
        #expect(try await slots("--outcome", "failed").isEmpty)
        #expect(try await slots("--since", "1h", "--until", "0s") == all)
        #expect(try await slots("--since", "1h ago") == all)
        #expect(try await slots("--until", "1h").isEmpty)
    }

    @Test("A check of the ledger finds whole, changed and missing pictures")
    func verify() async throws {
        let command = try await series()
        #expect(try await command.run("ledger", "--verify").status == 0)
        let files = try command.files().filter { $0.hasSuffix(".jpg") }
        try command.write("another picture", to: files[0])
        try FileManager.default.removeItem(at: command.folder.appendingPathComponent(files[1]))
        let outcome = try await command.run("ledger", "--verify")
        #expect(outcome.status == 74)
        #expect(outcome.lines.contains { $0.hasPrefix("changed") && $0.hasSuffix(files[0]) })
        #expect(outcome.lines.contains { $0.hasPrefix("missing") && $0.hasSuffix(files[1]) })
        #expect(outcome.lines.last?.contains("1 changed, 1 missing") == true)
        let checks: [String] = try await command.run("ledger", "--verify", "--json").events.compactMap { $0["check"] }
        #expect(Set(checks) == ["good", "changed", "missing"])
    }

    @Test("Several ledgers are listed, and a missing one is an error")
    func several() async throws {
        let command = try Command()
        #expect(try await command.run("ledger").status == 66)
        #expect(try await command.run("ledger", "nowhere").status == 66)
        for name in ["a-%n.jpg", "b-%n.jpg"] {
            _ = try await command.run("timelapse", "--camera", "scene", "-i", "1h", "-n", "1", "-o", name, "--quiet")
        }
        let outcome = try await command.run("ledger")
        #expect(outcome.text.contains("a-%n.jpg.ledger") && outcome.text.contains("b-%n.jpg.ledger"))
        #expect(try await command.run("ledger", ".gst-capture/a-%n.jpg.ledger").text.contains("a-1.jpg"))
    }

    @Test("Several ledgers are processed one after the other for lines and checks")
    func eachOfSeveral() async throws {
        let command = try Command()
        for name in ["a-%n.jpg", "b-%n.jpg"] {
            _ = try await command.run("timelapse", "--camera", "scene", "-i", "1h", "-n", "1", "-o", name, "--quiet")
        }
        let ledgers = ["a", "b"].map { ".gst-capture/\($0)-%n.jpg.ledger" }
        #expect(try await command.run("ledger", "--json").events.map { $0["ledger"] } == ledgers)
        let rows = try await command.run("ledger", "--csv").text.components(separatedBy: "\r\n").dropLast()
        #expect(rows.count { $0.hasPrefix("series,") } == 1)
        #expect(rows.dropFirst().map { $0.components(separatedBy: ",").last } == ledgers)
        #expect(try await command.run("ledger", "--outcome", "missed").text.contains("a-1.jpg") == false)
        #expect(try await command.run("ledger", "--verify").status == 0)
        try FileManager.default.removeItem(at: command.folder.appendingPathComponent("a-1.jpg"))
        let outcome = try await command.run("ledger", "--verify")
        #expect(outcome.status == 74)
        #expect(outcome.lines.contains { $0.hasPrefix("missing") && $0.hasSuffix("a-1.jpg") })
        try command.write("no ledger at all", to: ledgers[0])
        let damaged = try await command.run("ledger", "--json")
        #expect(damaged.status == 74 && damaged.text.contains("b-1.jpg"))
    }

    @Test("A file that is not a ledger is an error, in JSON too, and is not moved")
    func noLedger() async throws {
        let command = try Command()
        try command.write("not a picture, nor a ledger", to: "a.jpg")
        let outcome = try await command.run("ledger", "a.jpg")
        #expect(outcome.status == 74 && outcome.error.contains("a.jpg: is not a ledger"))
        #expect(!outcome.error.contains("move"))
        let json = try await command.run("ledger", "a.jpg", "--json")
        #expect(json.status == 74)
        #expect(try json.events.map(\.name) == ["error"])
        #expect(try await command.run("ledger", "nowhere", "--json").events.map(\.name) == ["error"])
    }

    @Test("--ledger sets another path or turns the ledger off, and snap has no ledger")
    func places() async throws {
        let command = try Command()
        let scene = ["--camera", "scene", "-i", "1h", "-n", "1", "--quiet", "-o"]
        func run(_ arguments: [String]) async throws {
            #expect(try await RunningCommand(arguments, in: command.folder).outcome().status == 0)
        }
        try await run(["timelapse", "--ledger", "off"] + scene + ["a-%n.jpg"])
        try await run(["snap", "--camera", "scene", "-o", "b.jpg"])
        #expect(!FileManager.default.fileExists(atPath: command.folder.path + "/.gst-capture"))
        try await run(["timelapse", "--ledger", "books/c.ledger"] + scene + ["c-%n.jpg"])
        #expect(try command.files().contains("books/c.ledger"))
        #expect(try await command.run("ledger", "books").text.contains("c-1.jpg"))
    }
}
