// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Files of sessions` {
    /// Runs a session up to its first picture and leaves it. Returns its folder.
    private func half(_ command: borrowing Command) async throws -> String {
        try command.write(SessionDesk.session(next: "trigger"), to: "quick.yaml")
        return try await RunningCommand.leaveSession("quick.yaml", in: command)
    }

    private func json(_ command: borrowing Command, _ arguments: String...) async throws -> [Event] {
        try await RunningCommand(["session"] + arguments + ["--json"], in: command.folder).outcome().events
    }

    @Test func `An outline that cannot be drawn is reported before the first picture`() async throws {
        let command = try Command()
        try command.write("hello", to: "bad.svg")
        try command.write("stages:\n  - {name: a, outline: ./bad.svg, crop: outline}\n", to: "a.yaml")
        for line in [["check", "a.yaml"], ["run", "a.yaml", "--camera", "scene", "--auto"]] {
            let outcome = try await RunningCommand(["session"] + line, in: command.folder).outcome()
            #expect(
                outcome.status == 78 && outcome.error.contains("bad.svg: is not a readable SVG"), "\(outcome.error)")
        }
        #expect(try command.files() == ["a.yaml", "bad.svg"])
    }

    // MARK: Sessions that have begun

    @Test func `A session that has begun is listed, and shown stage by stage`() async throws {
        let command = try Command()
        let folder = try await half(command)
        let people = try await command.run("session")
        #expect(people.status == 0 && people.text.contains("avatar  "))
        #expect(people.text.contains("Three pictures: half done, 1 of 3 stages"))
        #expect(people.text.contains("gst-capture session resume"))
        let begun = try await json(command, "list").filter { ($0["folder"] as String?) != nil }
        #expect(begun.map { $0["state"] } == ["open"])
        #expect(begun.first?.objects("pictures").map { $0["file"] } == ["one-001.jpg"])
        let shown = try await command.run("session", "show", folder)
        #expect(shown.status == 0 && shown.text.contains("one  done\n    one-001.jpg  320x240"))
        let record = try await command.run("session", "show", folder, "--json")
        #expect(try record.output == command.bytes(folder + "/session.json"))
        // A damaged record is reported, and the others are still listed.
        try command.write("{", to: folder + "/session.json")
        let rest = try await command.run("session", "list")
        #expect(rest.status == 0 && !rest.text.contains("half done") && rest.error.contains("session.json:2:1"))
    }

    private static let damage = [
        "empty": "", "cut off": "{", "list": "[]", "null": "null", "binary": "\u{0}\u{1}\u{2}",
        "lacking": #"{"format": "gst-capture-session"}"#, "foreign": #"{"format": "other"}"#,
        "from later": #"{"format": "gst-capture-session", "version": 99}"#,
        "deep": String(repeating: "[", count: 4_000_000), "large": String(repeating: "x", count: 5 << 20),
    ]

    @Test(arguments: damage.keys.sorted())
    func `A damaged record is reported in one line, and nothing is removed`(kind: String) async throws {
        let command = try Command()
        let record = try #require(Self.damage[kind])
        let folder = "damaged"
        try FileManager.default.createDirectory(
            at: command.folder.appendingPathComponent(folder), withIntermediateDirectories: false)
        try command.write(record, to: folder + "/session.json")
        try command.write("a picture", to: folder + "/one-001.jpg")
        let before = try command.files()
        let resume = ["resume", folder, "--camera", "scene"]
        for line in [["show", folder], resume + ["--auto"], resume + ["--discard"]] {
            let outcome = try await RunningCommand(["session"] + line, in: command.folder).outcome()
            #expect(outcome.status == 74, "\(line) \(outcome.error)")
            #expect(outcome.error.hasPrefix("gst-capture: damaged/session.json"), "\(outcome.error)")
            #expect(outcome.error.filter { $0 == "\n" }.count == 1, "\(outcome.error)")
        }
        #expect(try command.files() == before)
    }

    @Test func `A record with paths outside of its folder removes and reads nothing there`() async throws {
        let command = try Command()
        let folder = try await half(command)
        try command.write("mine", to: "mine.jpg")
        let good = String(decoding: try command.bytes(folder + "/session.json"), as: UTF8.self)
        for name in ["../mine.jpg", ".hidden", "/etc/passwd", "a/b.jpg", ""] {
            try command.write(good.replacing("one-001.jpg", with: name), to: folder + "/session.json")
            let outcome = try await command.run("session", "resume", folder, "--discard")
            #expect(outcome.status == 74 && outcome.error.contains("is not a file of picture"), "\(outcome.error)")
        }
        #expect(try command.bytes("mine.jpg") == Data("mine".utf8))
        // A session whose record does not match its copy of the file is not resumed.
        try command.write(good.replacing(#""name":"two""#, with: #""name":"other""#), to: folder + "/session.json")
        let outcome = try await command.run("session", "resume", folder, "--camera", "scene", "--auto")
        #expect(
            outcome.status == 78 && outcome.error.contains("stages of the session have changed"), "\(outcome.error)")
        #expect(try command.files().contains(folder.replacing("./", with: "") + "/one-001.jpg"))
    }

    // MARK: Session files

    @Test func `Session files are checked, with line and column`() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(), to: "good.yaml")
        try command.write(SessionDesk.session(countdown: "soon", "colour: red"), to: "bad.yaml")
        let outcome = try await command.run("session", "check", "good.yaml", "bad.yaml", "avatar")
        #expect(outcome.status == 78 && outcome.lines == ["good.yaml: good", "avatar: good"], "\(outcome.error)")
        #expect(outcome.error.contains("bad.yaml:2:") && outcome.error.contains("bad.yaml:4:1: unknown key \"colour\""))
        let shown = try await command.run("session", "show", "good.yaml")
        #expect(shown.text == SessionDesk.session())
        let listed = try await json(command, "list").compactMap { $0["name"] as String? }
        #expect(Set(listed).isSuperset(of: ["avatar", "id-card", "loyalty-card", "passport", "product-turntable"]))
    }

    private static let hostile = [
        "nothing": "", "binary": "\u{0}\u{7F}\u{1}", "list": "- one",
        "deep": "stages: " + String(repeating: "[", count: 20_000), "alias": "a: &a [*a, *a]\nstages: *a",
        "large": String(repeating: "# more\n", count: 300_000),
        "many": "stages:\n" + (1...2000).map { "  - name: s\($0)\n" }.joined(),
        "twice": "stages: [{name: a}, {name: a}]", "away": "stages: [{name: ../a}]", "none": "title: x",
        "count": "stages: [{name: a, pictures: 1000000000000}]",
    ]

    @Test(arguments: hostile.keys.sorted())
    func `A hostile session file is refused, and the error names it`(kind: String) async throws {
        let command = try Command()
        let name = kind + ".yaml"
        try command.write(#require(Self.hostile[kind]), to: name)
        for line in [["check", name], ["show", name], ["run", name, "--camera", "scene", "--auto", "-o", "out"]] {
            let outcome = try await RunningCommand(["session"] + line, in: command.folder).outcome()
            #expect([74, 78].contains(outcome.status), "\(line) \(outcome.status) \(outcome.error.prefix(500))")
            #expect(outcome.error.contains("/\(name):"), "\(outcome.error.prefix(500))")
        }
        #expect(try command.files() == [name])
    }

    @Test func `A pipe or a folder in place of a session file is refused without waiting`() async throws {
        let command = try Command()
        try #require(mkfifo(command.folder.path + "/pipe.yaml", 0o600) == 0)
        let folder = command.folder.appendingPathComponent("folder.yaml")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        for name in ["pipe.yaml", "folder.yaml"] {
            let outcome = try await command.run("session", "check", name)
            #expect(outcome.status != 0 && outcome.status < 128)
            #expect(outcome.error.contains("/\(name): is "), "\(outcome.error)")
        }
    }
}
