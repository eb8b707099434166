// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

@Suite("The command of records", .timeLimit(.minutes(5)))
final class RecordsCommandTests {
    private let command: Command

    init() throws {
        command = try Command()
        try FileManager.default.createDirectory(
            at: command.folder.appendingPathComponent("pipelines/records"), withIntermediateDirectories: true)
        try command.write(
            """
            key: number
            fields:
              - {name: number, required: yes, pattern: "[0-9a-z/=+]+"}
              - {name: owner, personal: yes}
            sides: [front]
            """, to: "pipelines/records/card.yaml")
        var picture = try #require(Data(base64Encoded: Self.picture))
        for number in 1...2 {
            try picture.write(to: command.folder.appendingPathComponent("\(number).jpg"))
            // Another density in the header: another picture.
            picture[picture.startIndex + 15] = 2
        }
    }

    /// A gray JPEG of 16 × 8 pixels.
    private static let picture =
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1x"
        + "eXBkeFxlZ2P/wAALCAAIABABAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AD//Z"

    private func start(_ arguments: [String], launcher: [String] = []) throws -> RunningCommand {
        try RunningCommand(
            ["records"] + arguments + ["--state", "state"], in: command.folder,
            environment: ["HOME": command.folder.path], launcher: launcher)
    }

    @discardableResult
    private func run(_ arguments: String..., status: Int32 = 0) async throws -> RunningCommand.Outcome {
        let outcome = try await start(arguments).outcome()
        #expect(outcome.status == status, "\(arguments): \(outcome.error)")
        return outcome
    }

    private func create(_ number: String, _ more: String...) async throws -> String {
        let outcome = try await start(["create", "card", "number=\(number)"] + more).outcome()
        try #require(outcome.status == 0 && outcome.lines.count == 1, "\(outcome.error)")
        return outcome.lines[0]
    }

    @Test func `A record is created, shown, changed, deleted and restored`() async throws {
        let id = try await create("1", "owner=Ann", "--side", "front=1.jpg")
        #expect(id.utf8.count == 36)
        let shown = try await run("show", "card/1")
        #expect(shown.text.contains(id) && shown.text.contains("Ann") && shown.text.contains("16x8"))
        try await run("set", String(id.prefix(8)), "owner=Bob=2", "number=2")
        try await run("side", "card/2", "front=2.jpg")
        try await run("side", id, "--remove", "front")
        try await run("delete", "card/2")
        #expect(try await run("list").text.isEmpty)
        #expect(try await run("list", "--trash", "-q").lines == [id])
        try await run("show", "card/2", status: 66)
        try await run("restore", "card/2")
        try await run("restore", id, "--version", "1")
        let history = try await run("history", "card/1").lines
        #expect(history.count == 7 && history[0].hasSuffix("number, owner, front"), "\(history)")
        #expect(history[6].hasSuffix("created") && history[2].hasSuffix("deleted"))
        let record = try #require(try await run("show", "--json", id).lines.first)
        let object = try JSONSerialization.jsonObject(with: Data(record.utf8)) as? [String: Any]
        #expect((object?["fields"] as? [String: String]) == ["number": "1", "owner": "Ann"])
        let path = (object?["paths"] as? [String: String])?["front"] ?? ""
        #expect(try command.bytes(path) == command.bytes("1.jpg"))
    }

    @Test func `Each mistake in a record is one line, and the status is 65`() async throws {
        let outcome = try await run("create", "card", "number=A", "ownr=x", "--side", "frnt=1.jpg", status: 65)
        #expect(
            outcome.error.split(separator: "\n").filter { $0.hasPrefix("gst-capture: ") } == [
                "gst-capture: number: \"A\" does not have the right form", "gst-capture: ownr: is not a field of card",
                "gst-capture: frnt: is not a side of card",
            ], "\(outcome.error)")
        #expect(outcome.text.isEmpty)
        _ = try await create("1")
        let taken = try await run("create", "card", "number=1", status: 65)
        #expect(taken.error.contains("number: is that of another record"))
        try await run("create", "cart", "number=1", status: 66)
        try await run("create", "card", "number", status: 64)
        try await run("create", "card", "number=2", "number=3", status: 64)
        try await run("create", "card", "number=2", "--side", "front=missing.jpg", status: 66)
        try await run("create", "card", "number=2", "--side", "front=pipelines/records/card.yaml", status: 66)
        try await run("side", "card/1", status: 64)
        try await run("side", "card/1", "--remove", "front", status: 65)
        try await run("set", "card/9", "owner=x", status: 66)
        try await run("set", "zzz", "owner=x", status: 66)
        try await run("restore", "card/1", "--version", "7", status: 66)
        #expect(try await run("list").lines.count == 1)
    }

    @Test func `An ID can be shortened while it is unique`() async throws {
        var ids: [String] = []
        // Two of 17 begin with the same digit.
        for number in 0..<17 { ids.append(try await create("\(number)")) }
        let starts = Dictionary(grouping: ids) { $0.prefix(1) }
        let (start, same) = try #require(starts.first { $0.value.count > 1 })
        let outcome = try await run("show", String(start), status: 64)
        #expect(outcome.error.contains("several records have this name") && outcome.error.contains(same[0]))
    }

    @Test func `Kinds are listed, and the mistakes in their files are named`() async throws {
        _ = try await create("1")
        #expect(try await run("kinds").lines.contains { $0.contains("card  card  1 record") })
        #expect(try await run("kinds", "--json").lines.contains { $0.contains("\"key\":\"number\"") })
        try command.write("kee: 1\nfields: [{nam: a}]\n", to: "pipelines/records/bad.yaml")
        let outcome = try await run("kinds", status: 78)
        #expect(outcome.error.contains("bad.yaml:1:1: unknown key \"kee\"; did you mean \"key\"?"))
        #expect(outcome.error.contains("bad.yaml:2:11: unknown key \"nam\""))
        try await run("kinds", "pipelines/records/card.yaml")
        try await run("kinds", "pipelines/records/bad.yaml", status: 78)
        try await run("create", "bad", "a=1", status: 78)
    }

    @Test func `A search finds personal values too`() async throws {
        let id = try await create("1", "owner=Ann Zyx")
        _ = try await create("2", "owner=Bob")
        #expect(try await run("list", "card", "--search", "zy", "-q").lines == [id])
        #expect(try await run("list", "--limit", "1", "--json").lines.count == 1)
        #expect(try await run("list", "post").lines.isEmpty)
        #expect(try await run("list", "--limit", "0").lines.count == 2)
    }

    @Test func `Records go out to a file, and come back`() async throws {
        _ = try await create("1", "owner==2+3", "--side", "front=1.jpg")
        try await run("export", "card", "cards.csv")
        let text = String(decoding: try command.bytes("cards.csv"), as: UTF8.self)
        #expect(text.contains("'=2+3") && text.contains("cards/"))
        try await run("export", "card", "cards.csv", status: 73)
        try await run("export", "card", "cards.csv", "--overwrite")
        let again = try await run("import", "card", "cards.csv")
        #expect(again.error.contains("0 new, 0 changed, 1 unchanged"))
        try command.write("number,owner\n2,Ann\n?,Bob\n", to: "more.csv")
        let refused = try await run("import", "card", "more.csv", status: 65)
        #expect(refused.error.contains("more.csv:3: number: \"?\" does not have the right form"))
        #expect(refused.error.contains("nothing was imported"))
        #expect(try await run("list").lines.count == 1)
        try await run("import", "card", "more.csv", "--partial", "--dry-run", status: 65)
        try await run("import", "card", "more.csv", "--partial", status: 65)
        #expect(try await run("list").lines.count == 2)
        try await run("import", "card", "missing.csv", status: 66)
        try await run("import", "card", "1.jpg", status: 64)
    }

    @Test func `A damaged database is named in one line with the ways back`() async throws {
        _ = try await create("1")
        try command.write("not a database, but some text that is long enough", to: "state/records/records.db")
        for name in ["records.db-wal", "records.db-shm"] {
            try? FileManager.default.removeItem(atPath: "\(command.folder.path)/state/records/\(name)")
        }
        let outcome = try await run("list", status: 74)
        #expect(outcome.error.contains("records.db: is damaged") && outcome.error.contains("records-backup.db"))
    }

    /// `make soak-records` kills 200 commands.
    @Test func `Commands that are killed lose no record that they have printed`() async throws {
        // Creates a record, prints its ID, changes it, and prints the ID again.
        let loop = """
            n=0
            while :; do
                n=$((n + 1))
                id=$("$0" records create card number=$1x$n --side front=1.jpg --state state) || exit
                echo "created $id"
                "$0" records set "$id" owner=$n --state state || exit
                echo "changed $id $n"
            done
            """
        var (created, changed): ([String], [String: String]) = ([], [:])
        for round in 0..<6 {
            let running = try RunningCommand(
                ["k\(round)"], in: command.folder, launcher: ["/bin/bash", "-c", loop])
            var left = 2 + round
            for await line in running.lines {
                let words = line.split(separator: " ").map(String.init)
                if words[0] == "created" { created.append(words[1]) } else { changed[words[1]] = words[2] }
                left -= 1
                // The shell and the command that it runs just now.
                if left == 0 { kill(-running.identifier, SIGKILL) }
            }
            _ = await running.outcome()
        }
        let lines = try await run("list", "--json", "--limit", "0").lines
        var owners: [String: String] = [:]
        for line in lines {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let id = try #require(object["id"] as? String)
            owners[id] = (object["fields"] as? [String: String])?["owner"] ?? ""
            let path = try #require((object["paths"] as? [String: String])?["front"])
            #expect(try command.bytes(path) == command.bytes("1.jpg"))
        }
        #expect(created.count >= 12 && Set(created).isSubset(of: owners.keys))
        for (id, owner) in changed { #expect(owners[id] == owner) }
    }
}
