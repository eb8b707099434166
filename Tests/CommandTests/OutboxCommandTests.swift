// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

@Suite(
    "The outbox command", .timeLimit(.minutes(5)), .enabled(if: PictureServer.isAvailable, PictureServer.advice))
final class OutboxCommandTests {
    private let command: Command
    private let server: PictureServer

    init() throws {
        command = try Command()
        server = try PictureServer(in: command.folder)
        let text = """
            board: pi
            targets:
              web:
                http: \(server.address)
                erase: yes
                name: "{board}/{series}/{file}.{extension}"
            send:
              - from: \(command.folder.path)/garden
                to: web
            """
        try Data(text.utf8).write(to: command.folder.appendingPathComponent("outbox.yaml"))
    }

    /// Takes pictures. A busy machine misses slots of a series, and another series makes up for them.
    private func series(_ count: Int) async throws {
        let small = ["--camera", "scene", "--width", "160", "--height", "120", "--settle", "off"]
        var left = count
        while left > 0 {
            let outcome = try await RunningCommand(
                ["timelapse", "--json", "--interval", "50ms", "--count", "\(left)", "-o", "garden/%n.jpg"] + small,
                in: command.folder
            ).outcome()
            try #require([0, 75].contains(outcome.status), "\(outcome.error)")
            left -= try outcome.events.count { $0.name == "captured" }
        }
    }

    private func start(_ arguments: String..., launcher: [String] = []) throws -> RunningCommand {
        try RunningCommand(
            ["outbox"] + arguments + ["--config", "outbox.yaml", "--state", "state"], in: command.folder,
            launcher: launcher)
    }

    private func list() async throws -> Event {
        let outcome = try await start("list", "--json").outcome()
        return try #require(try outcome.events.first)
    }

    @Test("Pictures of a time lapse arrive whole, and the ledger says the same of them afterwards")
    func arrive() async throws {
        try await series(3)
        let sender = try start("send", "--json")
        for _ in 0..<3 { _ = try await sender.event("sent") }
        try await series(2)
        for _ in 0..<2 { _ = try await sender.event("sent") }
        sender.send(SIGINT)
        #expect(await sender.outcome().status == 0)
        #expect(server.pictures.count == 5)
        for name in server.pictures {
            let own = try Data(contentsOf: command.folder.appendingPathComponent(String(name.dropFirst(3))))
            let sent = try Data(contentsOf: server.folder.appendingPathComponent("pictures/" + name))
            #expect(own == sent)
        }
        let state = try await list()
        #expect(state["sent"] == 5)
        #expect(state["waiting"] == 0)
        #expect(try await command.run("ledger", "garden", "--verify").status == 0)
    }

    @Test("While a server is down pictures wait, and a person can try it again")
    func outage() async throws {
        try server.mark("down", true)
        try await series(2)
        let sender = try start("send", "--json")
        while try await sender.event("target")["state"] != "unreachable" {}
        let state = try await list()
        #expect(state["waiting"] == 2)
        let reason: String? = state["reason"]
        #expect(reason?.contains("503") == true, "\(reason ?? "none")")
        try server.mark("down", false)
        #expect(try await start("retry", "web").outcome().status == 0)
        for _ in 0..<2 { _ = try await sender.event("sent") }
        #expect(server.pictures.count == 2)
    }

    @Test("A refused picture is listed with its reason, and sent again when a person wants it")
    func refused() async throws {
        try server.mark("refuse", true)
        try await series(1)
        let sender = try start("send", "--json")
        _ = try await sender.event("dead")
        let shown = try await start("show", "web").outcome()
        #expect(shown.text.contains("dead") && shown.text.contains("413"), "\(shown.text)")
        try server.mark("refuse", false)
        #expect(try await start("retry", "web", "--dead").outcome().status == 0)
        _ = try await sender.event("sent")
    }

    @Test("A sender that ends when everything is sent has status 75 if it could not send it")
    func once() async throws {
        try await series(2)
        try server.mark("down", true)
        let failed = try await start("send", "--once").outcome()
        #expect(failed.status == 75 && failed.error.contains("web: 2 pictures are not sent"), "\(failed.error)")
        try server.mark("down", false)
        let done = try await start("send", "--once").outcome()
        #expect(done.status == 0 && done.error.isEmpty, "\(done.error)")
        #expect(server.pictures.count == 2)
        #expect(try await start("send", "--once").outcome().status == 0)
    }

    @Test("A second sender with the same state is refused, and a killed one leaves nothing behind")
    func twice() async throws {
        try await series(1)
        let first = try start("send", "--json")
        _ = try await first.event("sent")
        let second = try await start("send").outcome()
        #expect(second.status == 75 && second.error.contains("another sender"), "\(second.error)")
        first.send(SIGKILL)
        _ = await first.outcome()
        try await series(1)
        let third = try start("send", "--json")
        _ = try await third.event("sent")
        #expect(server.pictures.count == 2)
    }

    @Test(
        "Without a free instance of inotify the sender says so once, and sends earlier and new pictures",
        .enabled("optional: this user may make no namespace") { MountSpace.isAllowed })
    func withoutWatches() async throws {
        try await series(1)
        let script = #"echo 0 >/proc/sys/user/max_inotify_instances; exec "$@""#
        let sender = try start(
            "send", "--json", launcher: ["unshare", "--user", "--map-root-user", "sh", "-ec", script, "sh"])
        let advice: String? = try await sender.event("error").object("error")?["advice"]
        #expect(advice?.contains("fs.inotify.max_user_instances") == true, "\(advice ?? "none")")
        _ = try await sender.event("sent")
        try await series(1)
        _ = try await sender.event("sent")
        sender.send(SIGINT)
        #expect(try await sender.outcome().events.count { $0.name == "error" } == 1)
    }

    @Test("A test of a target leaves nothing there, and names the fault in words")
    func test() async throws {
        let good = try await start("test", "web").outcome()
        let isGood = good.status == 0 && good.text.hasPrefix("web works: confirmed by its hash")
        #expect(isGood, "\(good.text)\(good.error)")
        let paths = FileManager.default.enumerator(atPath: server.folder.path)?.allObjects as? [String] ?? []
        #expect(paths.filter { $0.contains("test") }.isEmpty)
        try server.mark("down", true)
        let bad = try await start("test", "web").outcome()
        #expect(bad.status == 69 && bad.error.contains("503"), "\(bad.error)")
    }

    @Test(
        "A mistake is one line with its remedy and its status",
        arguments: [
            (["check", "nowhere.yaml"], 66, "no such file"), (["show", "wbe"], 64, "did you mean web?"),
            (["retry", "web", "12"], 66, "no such picture"), (["drop", "web"], 64, "give the numbers"),
            (["retry", "web", "1", "--dead"], 64, "give one of them"), (["snd"], 64, "snd"),
            (["pause"], 64, "target"),
        ])
    func mistakes(_ arguments: [String], _ status: Int32, _ words: String) async throws {
        let options = arguments == ["snd"] ? [] : ["--config", "outbox.yaml", "--state", "state"]
        let outcome = try await RunningCommand(["outbox"] + arguments + options, in: command.folder).outcome()
        #expect(outcome.status == status && outcome.error.contains(words), "\(outcome.status) \(outcome.error)")
    }

    @Test("Without a file, a command names the paths that it has tried")
    func unconfigured() async throws {
        let outcome = try await RunningCommand(
            ["outbox", "list"], in: command.folder,
            environment: ["XDG_CONFIG_HOME": command.folder.path, "XDG_STATE_HOME": command.folder.path]
        ).outcome()
        #expect(outcome.status == 66 && outcome.error.contains("gst-capture-outbox.yaml"), "\(outcome.error)")
    }

    @Test("A configuration with mistakes has a line for each, with its place, and status 78")
    func broken() async throws {
        try Data("targets:\n  a: {s3: ftp://x}\nsnd: []\n".utf8)
            .write(to: command.folder.appendingPathComponent("outbox.yaml"))
        let outcome = try await start("check").outcome()
        #expect(outcome.status == 78)
        for place in ["outbox.yaml:2:", "outbox.yaml:3:"] {
            #expect(outcome.error.contains(place), "\(outcome.error)")
        }
    }
}
