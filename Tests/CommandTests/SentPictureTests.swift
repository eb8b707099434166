// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Foundation
import LedgerKit
import ProgramTestSupport
import Testing

@testable import UploadKit

@Suite("A time lapse whose pictures an outbox sends", .timeLimit(.minutes(5)))
final class SentPictureTests {
    private static let series = [
        "timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--settle", "off", "--framerate", "100",
        "-o", "garden/%n.jpg", "--json", "--recover", "off",
    ]
    private static let outbox = ["--outbox", "outbox.yaml", "--outbox-state", "state"]

    private let command: Command

    /// A series with six pictures, and an outbox for it.
    init() async throws {
        command = try Command()
        let text = """
            targets:
              nas: {webdav: "http://127.0.0.1:9/photos"}
              web: {http: "http://127.0.0.1:9"}
            send:
              - {from: \(command.folder.path)/garden, to: nas}
              - {from: \(command.folder.path)/yard, to: web}
            """
        try command.write(text, to: "outbox.yaml")
        while pictures.count < 6 {
            let outcome = try await run(["--interval", "50ms", "--count", "\(6 - pictures.count)"])
            try #require(outcome.status == 0, "\(outcome.error)")
        }
    }

    private var pictures: [String] {
        DeviceFiles.names(in: command.folder.path + "/garden").filter { $0.hasSuffix(".jpg") }.sorted()
    }

    private var ledger: String { command.folder.path + "/garden/.gst-capture/%n.jpg.ledger" }

    private func run(_ arguments: [String]) async throws -> RunningCommand.Outcome {
        try await RunningCommand(Self.series + arguments, in: command.folder).outcome()
    }

    /// Makes the pictures with these numbers sent.
    private func send(_ numbers: Set<Int>) throws {
        let store = try OutboxStore(folder: command.folder.path + "/state/outbox")
        let identity = try #require(try LedgerUploads(ledger)?.identity)
        let lane = OutboxStore.Lane(target: "nas", source: try store.source(ledger, identity: identity))
        try LedgerReader(ledger).eachLine { line throws(CaptureError) in
            guard let number = line.still?.sequence, numbers.contains(number) else { return }
            _ = try store.take(line.id...line.id, [], lane)
        }
    }

    /// The removed pictures, in order: `2.jpg count`, and `unsent` behind those that were not sent.
    private func removals(_ outcome: RunningCommand.Outcome) throws -> [String] {
        try outcome.events.filter { $0.name == "removed" }.flatMap { $0.objects("files") }.map { file in
            let path: String = file["file"] ?? ""
            let isUnsent: Bool = file["unsent"] ?? false
            return "\(DeviceFiles.name(of: path)) \(file["reason"] ?? "")" + (isUnsent ? " unsent" : "")
        }
    }

    @Test func `Pruning removes sent pictures first, and names unsent ones`() async throws {
        try send([2, 4])
        let outcome = try await run(
            ["--interval", "1s", "--count", "1", "--max-count", "4", "--on-limit", "prune"] + Self.outbox)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try removals(outcome) == ["2.jpg count", "4.jpg count", "1.jpg count unsent"])
        #expect(pictures == ["3.jpg", "5.jpg", "6.jpg", "7.jpg"])
        let notices = try outcome.events.filter { $0["code"] == "unsent-removed" }
        let subject: String? = notices.first?["subject"]
        #expect(notices.count == 1 && subject?.hasSuffix("/garden/1.jpg") == true)
        let summary = try #require(try outcome.events.last?.object("summary"))
        #expect(summary["removed"] == 3 && summary["removed_unsent"] == 1)
    }

    @Test func `Unsent pictures stay, and the series ends at its limit`() async throws {
        try send([2, 4])
        let outcome = try await run(
            ["--interval", "50ms", "--max-count", "5", "--on-limit", "prune", "--keep-unsent"] + Self.outbox)
        #expect(outcome.status == 74)
        let message = "--max-count: the series has reached its limit of 5 pictures with pictures that are not sent"
        #expect(outcome.error.contains(message), "\(outcome.error)")
        #expect(try removals(outcome) == ["2.jpg count", "4.jpg count"])
        #expect(Set(pictures).isSuperset(of: ["1.jpg", "3.jpg", "5.jpg", "6.jpg", "7.jpg"]))
    }

    @Test func `Sent pictures that are older are removed, and the ledger says why`() async throws {
        try send([1, 3, 5])
        // After the last picture, those of the first series are more than a second old.
        let outcome = try await run(["--interval", "1s", "--count", "4", "--max-age-sent", "1s"] + Self.outbox)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try removals(outcome) == ["1.jpg sent", "3.jpg sent", "5.jpg sent"])
        #expect(Set(pictures).isSuperset(of: ["2.jpg", "4.jpg", "6.jpg"]))
        var reasons: [Int: String] = [:]
        try LedgerReader(ledger).eachLine { line in
            if let number = line.still?.sequence, let removal = line.removal { reasons[number] = removal.reason }
        }
        #expect(reasons == [1: "sent", 3: "sent", 5: "sent"])
    }

    @Test func `Without the state of a sender, nothing counts as sent`() async throws {
        let outcome = try await run(["--interval", "1s", "--count", "2", "--max-age-sent", "1s"] + Self.outbox)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try removals(outcome).isEmpty)
        let notices = try outcome.events.filter { $0["code"] == "outbox-unreadable" }
        #expect(notices.count == 1)
        #expect(!FileManager.default.fileExists(atPath: command.folder.path + "/state"))
    }

    @Test func `Mistakes are reported before the series begins, and by a check of the preset`() async throws {
        let preset = "mode: timelapse\ninterval: 1s\ncamera: scene\nmax-age-sent: 7d\noutbox: outbox.yaml\n"
        let mistakes = [
            ("field", "max-age-sent: outbox.yaml sends no pictures of \(command.folder.path)/field"),
            ("yard", "web: confirms by an answer alone"),
        ]
        for (name, message) in mistakes {
            let outcome = try await run(
                ["-o", "\(name)/%n.jpg", "--interval", "1s", "--max-age-sent", "7d"] + Self.outbox)
            #expect(outcome.status == 78 && outcome.error.contains(message), "\(outcome.error)")
            #expect(!FileManager.default.fileExists(atPath: command.folder.path + "/" + name))
            try command.write(preset + "output: \(name)/%n.jpg\n", to: "a.yaml")
            let check = try await command.run("presets", "check", "a.yaml")
            #expect(check.status == 78 && check.error.contains(message), "\(check.error)")
        }
        let missing = try await run(["--interval", "1s", "--max-age-sent", "7d", "--outbox", "none.yaml"])
        #expect(missing.status == 66 && missing.error.contains("none.yaml"), "\(missing.error)")
    }
}
