// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

/// Two machines with one backend: `Examples/backend/backend.py`.
@Suite(
    "Records of two machines", .timeLimit(.minutes(5)), .enabled(if: PictureServer.isAvailable, PictureServer.advice))
final class RecordsSyncTests {
    private let command: Command
    private let backend: ExampleBackend

    init() throws {
        command = try Command()
        backend = try ExampleBackend(in: command.folder)
        try command.write(
            """
            records:
              server: \(backend.address)
              token-file: \(backend.secrets)
              kinds: [card]
              poll: 5s
            """, to: "outbox.yaml")
        try FileManager.default.createDirectory(
            at: command.folder.appendingPathComponent("pipelines/records"), withIntermediateDirectories: true)
        try command.write(
            "key: number\nfields: [{name: number}, {name: owner}]\nsides: [front]\n", to: "pipelines/records/card.yaml")
    }

    private func run(_ machine: String, _ arguments: String...) async throws -> RunningCommand.Outcome {
        let outcome = try await RunningCommand(
            ["records"] + arguments + ["--state", machine], in: command.folder,
            environment: ["HOME": command.folder.path]
        ).outcome()
        #expect(outcome.status == 0, "\(arguments): \(outcome.error)")
        return outcome
    }

    private func sender(_ machine: String) throws -> RunningCommand {
        try RunningCommand(
            ["outbox", "send", "--json", "--config", "outbox.yaml", "--state", machine], in: command.folder,
            environment: ["HOME": command.folder.path])
    }

    /// Waits until a machine has nothing to send.
    private func settle(_ machine: String) async throws {
        while true {
            let state = try #require(try await run(machine, "sync", "--json").events.first)
            if state["waiting"] == 0, state["conflicts"] == 0 { return }
        }
    }

    @Test("Changes of different fields merge, and a field that both changed is a conflict for a person")
    func merge() async throws {
        let id = try #require(try await run("one", "create", "card", "number=1", "owner=Ann").lines.first)
        var (one, two) = (try sender("one"), try sender("two"))
        let came = try await two.event("record")
        #expect(came["id"] == id && came["conflict"] == false)
        try await settle("one")
        // Both are offline.
        for sender in [one, two] {
            sender.send(SIGINT)
            #expect(await sender.outcome().status == 0)
        }
        _ = try await run("one", "set", id, "owner=Bob")
        _ = try await run("two", "set", id, "number=2", "owner=Cid")
        one = try sender("one")
        try await settle("one")
        two = try sender("two")
        let conflict = try await two.event("record")
        #expect(conflict["id"] == id && conflict["conflict"] == true)
        let listed = try await run("two", "conflicts")
        #expect(listed.text.contains("owner  mine: Cid  theirs: Bob") && listed.lines.count == 1, "\(listed.text)")
        _ = try await run("two", "resolve", id, "owner", "theirs")
        try await settle("two")
        _ = try await one.event("record")
        for machine in ["one", "two"] {
            let shown = try await run(machine, "show", "card/2", "--json")
            #expect(shown.text.contains(#""owner":"Bob""#), "\(machine): \(shown.text)")
        }
    }
}
