// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

/// Arguments for sessions: small pictures of the scene, three stages that follow each other quickly.
enum SessionDesk {
    static let camera = [
        "--camera", "scene", "--width", "320", "--height", "240", "--framerate", "30", "--sink", "none",
    ]

    /// The text of the session file.
    static func session(countdown: String = "200ms", next: String = "now", _ more: String = "") -> String {
        """
        title: Three pictures
        countdown: \(countdown)
        next-stages: \(next)
        \(more)
        stages:
          - name: one
            prompt: Look here
          - name: two
          - name: three
            skippable: yes
        """
    }

    /// The folders of sessions in a folder.
    static func folders(in parent: URL) throws -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        return names.sorted().map { parent.appendingPathComponent($0).path }
    }
}

extension RunningCommand {
    /// Starts a session in the command's folder, or resumes one.
    static func session(
        _ arguments: String..., in command: borrowing Command, launcher: [String] = []
    ) throws -> RunningCommand {
        try RunningCommand(["session"] + arguments + SessionDesk.camera, in: command.folder, launcher: launcher)
    }

    /// Runs a session whose stages wait for a trigger up to its first picture, and leaves it. Returns its folder.
    static func leaveSession(_ file: String, in command: borrowing Command) async throws -> String {
        let process = try session("run", file, "--json", in: command)
        try await process.hurry { $0["phase"] == "ready" }
        process.send(SIGUSR1)
        let folder: String = try #require(try await process.event("captured")["folder"])
        process.send(SIGINT)
        _ = await process.outcome()
        return folder.replacing("./", with: "")
    }

    /// Skips the waiting of a session, up to an event that `isWanted` accepts or to its end.
    @discardableResult
    func hurry(until isWanted: (Event) -> Bool = { _ in false }) async throws -> Event? {
        for await line in lines {
            let event = try Event(line)
            if isWanted(event) { return event }
            if event.name == "stage-done" { send(SIGUSR1) }
        }
        return nil
    }
}

extension Event {
    /// An event of a session as one line: its kind and its stage.
    fileprivate var story: String? {
        switch name {
        case "phase": ["phase", self["phase"], self["stage"]].compactMap(\.self).joined(separator: " ")
        case "captured": "captured \(object("picture")?["file"] ?? "")"
        case "stage", "stage-done", "skipped": "\(name) \(self["stage"] ?? "")"
        case "finished": "finished \(self["ending"] ?? "")"
        default: nil
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `The session run command` {
    @Test func `An automatic session captures all pictures, and reports each when it is durable`() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(), to: "quick.yaml")
        let process = try RunningCommand.session("run", "quick.yaml", "--auto", "--json", "-o", "out", in: command)
        try await process.hurry()
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        let events = try outcome.events
        let story = events.compactMap(\.story).filter { !$0.hasPrefix("phase switching") }
        let stages = ["one", "two", "three"]
        let steps = stages.flatMap { name in
            [
                "stage \(name)", "phase counting \(name)", "phase capturing \(name)", "phase stage-done \(name)",
            ]
        }
        let reports = stages.enumerated().flatMap { index, name in
            ["captured \(name)-00\(index + 1).jpg", "stage-done \(name)"]
        }
        // On a slow disk the next stage begins before a picture is durable.
        #expect(
            story.filter { !reports.contains($0) } == ["phase ready"] + steps + [
                "phase review", "phase accepted", "finished accepted",
            ])
        #expect(story.filter { reports.contains($0) } == reports)
        for (index, name) in stages.enumerated() {
            let done = try #require(story.firstIndex(of: "phase stage-done \(name)"))
            #expect(story[done...].contains(reports[2 * index]))
        }
        #expect(story.last == "finished accepted")
        let folders = try SessionDesk.folders(in: command.folder.appendingPathComponent("out"))
        let finished = try #require(events.last)
        let reported: String = try #require(finished["folder"])
        #expect(folders == [command.folder.path + "/" + reported])
        let stored = try StoredSession(#require(folders.first))
        try stored.expectAsPublished()
        #expect(stored.record["state"] == "accepted")
        let captured = events.compactMap { $0.object("picture")?["sha256"] as String? }
        #expect(stored.pictures.map { $0["sha256"] } == captured)
        #expect(finished.objects("pictures").map { $0["sha256"] } == captured)
    }

    @Test func `A session prints its folder alone, which gets a copy of the session file`() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(), to: "quick.yaml")
        let process = try RunningCommand.session("run", "quick.yaml", "--auto", "--quiet", in: command)
        let outcome = await process.outcome()
        #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
        let path = try #require(outcome.lines.first)
        #expect(outcome.text == path + "\n" && path.hasPrefix("./quick-"))
        let copy = try command.bytes(path + "/session.yaml")
        #expect(copy == Data(SessionDesk.session().utf8))
    }

    @Test func `A session continues at SIGUSR1, stops at SIGINT, and can be resumed`() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(next: "trigger"), to: "quick.yaml")
        let process = try RunningCommand.session("run", "quick.yaml", "--json", in: command)
        try await process.hurry { $0["phase"] == "ready" }
        process.send(SIGUSR1)
        let captured = try await process.event("captured")
        let first = try #require(captured.object("picture"))
        let folder: String = try #require(captured["folder"])
        let (outcome, isTooSlow) = await process.end(by: SIGINT)
        #expect(outcome.status == 130, "\(outcome.error)")
        let finished = try #require(try outcome.events.last)
        #expect(finished["ending"] == "left" && finished["folder"] == folder || isTooSlow)
        let left = try StoredSession(command.folder.path + "/" + folder)
        #expect(left.record["state"] == "open" && left.names == ["one-001.jpg"])
        try left.expectAsPublished()

        let resumed = try RunningCommand.session("resume", "--auto", "--json", in: command)
        try await resumed.hurry()
        let end = await resumed.outcome()
        #expect(end.status == 0, "\(end.error)")
        #expect(try end.events.last?["folder"] == folder.replacing("./", with: ""))
        let whole = try StoredSession(command.folder.path + "/" + folder)
        #expect(whole.pictures.map { $0["stage"] as String? } == ["one", "two", "three"])
        #expect(whole.pictures.first?["sha256"] == first["sha256"] as String?)
        let again = try await command.run("session", "resume", folder, "--camera", "scene")
        #expect(again.status == 64 && again.error.contains("was accepted"))
    }

    @Test func `A session that ends before the first picture leaves no files`() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(countdown: "10m"), to: "quick.yaml")
        let process = try RunningCommand.session("run", "quick.yaml", "--auto", "--json", "-o", "out", in: command)
        try await process.hurry { $0["phase"] == "counting" }
        let (outcome, isTooSlow) = await process.end(by: SIGTERM)
        #expect(outcome.status == 143, "\(outcome.error)")
        #expect(try outcome.events.last?["ending"] == "left" || isTooSlow)
        #expect(try SessionDesk.folders(in: command.folder.appendingPathComponent("out")).isEmpty)
    }

    @Test(arguments: ["one", "two", "three"], ["counting", "capturing", "captured"])
    func `A session killed in any stage has whole files only, and resume completes it`(
        stage: String, moment: String
    ) async throws {
        let command = try Command()
        try command.write(SessionDesk.session(next: "trigger"), to: "quick.yaml")
        let process = try RunningCommand.session("run", "quick.yaml", "--json", "-o", "out", in: command)
        for await line in process.lines {
            let event = try Event(line)
            if event["stage"] == stage && event["phase"] == moment || event.object("picture")?["stage"] == stage {
                break
            }
            // The next stage waits, so that the session does not end before the kill.
            let phase: String? = event["phase"]
            if phase == "ready" || phase == "armed" { process.send(SIGUSR1) }
        }
        process.send(SIGKILL)
        let reported = try await process.outcome().events.compactMap { $0.object("picture")?["sha256"] as String? }
        let folders = try SessionDesk.folders(in: command.folder.appendingPathComponent("out"))
        guard let folder = folders.first, FileManager.default.fileExists(atPath: folder + "/session.json") else {
            // Killed while it created its folder, for the first picture.
            #expect(stage == "one" && reported.isEmpty)
            return
        }
        let resumed = try RunningCommand.session("resume", folder, "--auto", "--json", in: command)
        try await resumed.hurry()
        let outcome = await resumed.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        let stored = try StoredSession(folder)
        #expect(stored.record["state"] == "accepted")
        #expect(stored.pictures.map { $0["stage"] as String? } == ["one", "two", "three"])
        #expect(stored.pictures.prefix(reported.count).map { $0["sha256"] as String? } == reported)
    }

    @Test func `A session killed during a clip removes the unfinished file when it is resumed, and records another`()
        async throws
    {
        let command = try Command()
        try command.write("countdown: 200ms\nstages: [{name: one}, {name: hello, clip: 10m}]", to: "clips.yaml")
        let process = try RunningCommand.session("run", "clips.yaml", "--auto", "--json", "-o", "out", in: command)
        try await process.hurry { $0.name == "recording" }
        process.send(SIGKILL)
        _ = await process.outcome()
        let folder = try #require(try SessionDesk.folders(in: command.folder.appendingPathComponent("out")).first)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(left.contains("hello-002.mp4"))
        let record = try String(contentsOfFile: folder + "/session.json", encoding: .utf8)
        #expect(record.contains("one-001.jpg") && !record.contains("hello-002"))
        let resumed = try RunningCommand.session("resume", folder, "--auto", "--json", in: command)
        try await resumed.hurry { $0.name == "recording" }
        resumed.send(SIGUSR1)
        try await resumed.hurry()
        let outcome = await resumed.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        let clip = try #require(try StoredSession(folder).pictures.last)
        #expect(clip["file"] == "hello-003.mp4" && clip["duration_ms"] as Double? ?? 0 > 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("hello") }
        #expect(names.sorted() == ["hello-003.jpg", "hello-003.mp4"])
    }

    @Test func `An unfinished session can be discarded, and other files in its folder stay`() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(next: "trigger"), to: "quick.yaml")
        for note in [nil, "mine"] {
            let process = try RunningCommand.session("run", "quick.yaml", "--json", "-o", "out", in: command)
            try await process.hurry { $0["phase"] == "ready" }
            process.send(SIGUSR1)
            try await process.hurry { $0["phase"] == "armed" }
            process.send(SIGUSR1)
            try await process.hurry { $0.object("picture")?["stage"] == "two" }
            process.send(SIGKILL)
            _ = await process.outcome()
            let folder = try #require(try SessionDesk.folders(in: command.folder.appendingPathComponent("out")).last)
            if let note { try Data(note.utf8).write(to: URL(filePath: folder + "/note.txt")) }
            let outcome = try await command.run("session", "resume", folder, "--discard")
            #expect(outcome.status == 0 && outcome.error.contains("discarded"), "\(outcome.error)")
            #expect((try? FileManager.default.contentsOfDirectory(atPath: folder)) == note.map { _ in ["note.txt"] })
        }
    }

    @Test func `An automatic session with a library brings in its pictures`() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(), to: "quick.yaml")
        let album = command.folder.appendingPathComponent("album")
        try FileManager.default.createDirectory(at: album, withIntermediateDirectories: false)
        for (name, width) in [("album/a.jpg", "160"), ("album/b.jpg", "240"), ("c.png", "320")] {
            let snap = try await command.run(
                "snap", "--camera", "scene", "--width", width, "--height", "120", "-o", name)
            #expect(snap.status == 0, "\(snap.error)")
        }
        // The session needs no camera, and none exists but the scene.
        let process = try RunningCommand(
            [
                "session", "run", "quick.yaml", "--auto", "--json", "-o", "out", "--library", "album", "--library",
                "c.png", "--sink", "none",
            ], in: command.folder)
        try await process.hurry()
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        let folders = try SessionDesk.folders(in: command.folder.appendingPathComponent("out"))
        let stored = try StoredSession(#require(folders.first))
        #expect(stored.names == ["one-001.jpg", "two-002.jpg", "three-003.png"])
        #expect(stored.pictures.map { $0["width"] } == [160, 240, 320])
        #expect(stored.pictures.allSatisfy { $0["origin"] == "library" })
        #expect(stored.pictures.map { $0["source"] } == ["album/a.jpg", "album/b.jpg", "c.png"])
        try stored.expectAsPublished()
    }

    @Test func `A dry run of a session opens no camera and creates no file`() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(), to: "quick.yaml")
        let process = try RunningCommand.session("run", "quick.yaml", "--dry-run", in: command)
        let outcome = await process.outcome()
        #expect(outcome.status == 0 && outcome.lines.count == 1, "\(outcome.error)")
        #expect(outcome.text.hasPrefix("videotestsrc ") && outcome.error.contains("3 pictures; no camera was opened"))
        #expect(try command.files() == ["quick.yaml"])
    }

    @Test func `A missing camera is an error that names it, and the session creates no folder`() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(), to: "quick.yaml")
        for camera in [
            ["--camera", "nonesuch"], ["--front", "nonesuch"], ["--front", "scene", "--back", "nonesuch"],
        ] {
            let outcome = try await RunningCommand(
                ["session", "run", "quick.yaml", "--auto", "-o", "out"] + camera, in: command.folder
            ).outcome()
            #expect(outcome.status == 69 && outcome.error.contains("nonesuch: there is no such camera"))
            #expect(outcome.text.isEmpty)
        }
        #expect(try command.files() == ["quick.yaml"])
    }

    @Test(
        arguments: [
            (["run"], 64), (["run", "quick.yaml", "--front", "scene", "--camera", "scene"], 64),
            (["run", "quick.yaml", "--role", "left=scene", "--camera", "scene"], 64),
            (["run", "quick.yaml", "--auto", "--role", "left"], 64),
            (["run", "quick.yaml", "--auto", "--role", "any=0"], 64),
            (["run", "quick.yaml", "--auto", "--role", "a=scene", "--role", "a=scene"], 64),
            (["run", "quick.yaml", "--camera", "scene", "--move", "1"], 64),
            (["run", "quick.yaml", "--camera", "scene", "--turn", "left"], 64),
            (["run", "quick.yaml", "--camera", "scene", "--encoding", "gif"], 64),
            (["run", "quick.yaml", "--camera", "scene", "--auto", "--sound", "loud"], 78),
            (["run", "quick.yaml", "--camera", "scene", "--library", "nosuch.jpg"], 66),
            (["run", "nosuch"], 66), (["run", "nosuch.yaml"], 66), (["resume", "nosuch"], 66), (["resume"], 66),
            (["resume", "quick.yaml"], 66), (["show", "nosuch"], 66), (["check"], 64), (["check", "nosuch"], 66),
            (["run", "quick.yaml", "--camera", "scene", "--auto", "-o", "quick.yaml/in"], 73),
        ] as [([String], Int32)])
    func `Wrong arguments of a session are errors, and create no files`(
        arguments: [String], status: Int32
    ) async throws {
        let command = try Command()
        try command.write(SessionDesk.session(), to: "quick.yaml")
        let outcome = try await RunningCommand(["session"] + arguments, in: command.folder).outcome()
        #expect(outcome.status == status, "\(outcome.error)")
        #expect(outcome.text.isEmpty && !outcome.error.isEmpty)
        #expect(try command.files() == ["quick.yaml"])
    }

    @Test(arguments: [("/dev/full", 74), ("&-", 0)])
    func `A session keeps its pictures if its output is lost`(output: String, status: Int32) async throws {
        let command = try Command()
        try command.write(SessionDesk.session(), to: "quick.yaml")
        let shell = ["/bin/sh", "-c", "exec \"$0\" \"$@\" >\(output)"]
        let process = try RunningCommand.session(
            "run", "quick.yaml", "--auto", "-o", "out", in: command, launcher: shell)
        let outcome = await process.outcome()
        // A closed standard output is as good as /dev/null.
        #expect(outcome.status == status, "\(outcome.error)")
        #expect(outcome.error.contains("standard output cannot be written") == (status != 0))
        let folders = try SessionDesk.folders(in: command.folder.appendingPathComponent("out"))
        #expect(try folders.map { try StoredSession($0).record["state"] as String? } == ["accepted"])
    }
}
