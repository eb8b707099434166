// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Choosing the session to resume` {
    /// Leaves a session after its first picture; returns its folder's name.
    private func leave(_ command: borrowing Command, begun: String? = nil) async throws -> String {
        let folder = try await RunningCommand.leaveSession("quick.yaml", in: command)
        if let begun {
            let path = command.folder.path + "/" + folder + "/session.json"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let old: String = try #require(try Event(text)["begun"])
            try Data(text.replacing(old, with: begun).utf8).write(to: URL(filePath: path))
        }
        return folder.replacing("./", with: "")
    }

    private func resumed(_ command: borrowing Command) async throws -> RunningCommand.Outcome {
        let process = try RunningCommand.session("resume", "--auto", "--json", in: command)
        try await process.hurry()
        return await process.outcome()
    }

    @Test func `The session that began last is resumed, in any time zone`() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(next: "trigger"), to: "quick.yaml")
        let earlier = try await leave(command, begun: "2026-10-25T02:50:00.000+02:00")
        let later = try await leave(command, begun: "2026-10-25T02:10:00.000+01:00")
        let outcome = try await resumed(command)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try outcome.events.last?["folder"] == later)
        #expect(try StoredSession(command.folder.path + "/" + earlier).record["state"] == "open")
    }

    @Test func `A damaged session is named when an older one is resumed`() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(next: "trigger"), to: "quick.yaml")
        let older = try await leave(command, begun: "2026-05-01T12:00:00.000+02:00")
        let newer = try await leave(command)
        try command.write("{", to: newer + "/session.json")
        let outcome = try await resumed(command)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try outcome.events.last?["folder"] == older)
        #expect(outcome.text.contains("\(newer)/session.json"))
    }

    @Test func `A session that another process runs is skipped, and is refused by name`() async throws {
        let command = try Command()
        for file in ["quick.yaml", "slow.yaml"] { try command.write(SessionDesk.session(next: "trigger"), to: file) }
        let left = try await leave(command)
        let running = try RunningCommand.session("run", "slow.yaml", "--json", in: command)
        try await running.hurry { $0["phase"] == "ready" }
        running.send(SIGUSR1)
        _ = try await running.event("captured")
        let folders = try FileManager.default.contentsOfDirectory(atPath: command.folder.path)
        let busy = try #require(folders.first { $0.hasPrefix("slow-") })

        let listed = try await command.run("session", "list", "--json")
        let states = try listed.events.reduce(into: [String: String]()) { states, event in
            if let folder: String = event["folder"] { states[folder] = event["state"] }
        }
        #expect(states == [left: "open", busy: "running"])
        let named = try await command.run("session", "resume", busy, "--camera", "scene", "--auto")
        #expect(named.status == 75 && named.error.contains("\(busy): another gst-capture runs this session"))
        let outcome = try await resumed(command)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try outcome.events.last?["folder"] == left)
        #expect(outcome.text.contains("\(busy) is running"))
        let none = try await command.run("session", "resume", "--camera", "scene", "--auto")
        #expect(none.status == 75 && none.error.contains(busy), "\(none.error)")
        running.send(SIGINT)
        #expect(await running.outcome().status == 130)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Arguments of session commands` {
    @Test func `A session's name without a command is a usage error that names run`() async throws {
        let command = try Command()
        let outcome = try await command.run("session", "avatar")
        #expect(outcome.status == 64 && outcome.text.isEmpty)
        #expect(outcome.error.contains("gst-capture session run avatar"), "\(outcome.error)")
    }

    @Test func `A missing folder of sessions is an error`() async throws {
        let command = try Command()
        let outcome = try await command.run("session", "list", "nosuch")
        #expect(outcome.status == 66 && outcome.text.isEmpty)
        #expect(outcome.error.contains("nosuch: there is no such folder"), "\(outcome.error)")
    }

    @Test func `An outline's path is relative to the folder of the session file`() async throws {
        let command = try Command()
        let kit = command.folder.appendingPathComponent("kit")
        try FileManager.default.createDirectory(at: kit, withIntermediateDirectories: false)
        let drawing = #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"><path d="M0 0h4v3H0z"/></svg>"#
        try command.write(drawing, to: "kit/frame.svg")
        try command.write("stages:\n  - {name: a, outline: ./frame.svg, countdown: 0s}\n", to: "kit/a.yaml")
        let checked = try await command.run("session", "check", "kit/a.yaml")
        #expect(checked.status == 0, "\(checked.error)")
        let process = try RunningCommand.session("run", "kit/a.yaml", "--auto", "--json", in: command)
        try await process.hurry()
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
    }
}
