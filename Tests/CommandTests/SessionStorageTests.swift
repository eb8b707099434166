// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .enabled("optional: nothing can be mounted here") { MountSpace.isAllowed })
struct `A session whose disk fails` {
    /// A disk of a given size that only the command sees.
    private struct Disk {
        let place: String
        let space: MountSpace

        init(_ command: borrowing Command, size: String) throws {
            space = try MountSpace()
            place = command.folder.path + "/disk"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            try space.run("mount", "-t", "tmpfs", "-o", "size=\(size)", "none", place)
            try command.write(SessionDesk.session(next: "trigger"), to: "quick.yaml")
            try command.write(SessionDesk.session(), to: "auto.yaml")
            try command.write("countdown: 200ms\nstages: [{name: hello, clip: 10m}]", to: "clip.yaml")
        }

        /// The folder of the session on the disk, as the test sees it.
        var folder: String {
            get throws {
                let folders = try SessionDesk.folders(in: URL(filePath: space.path(place)))
                return try #require(folders.first)
            }
        }

        func run(_ session: String, _ arguments: String..., in command: borrowing Command) throws -> RunningCommand {
            let file = command.folder.path + "/" + session
            let line = ["session", "run", file, "--json", "-o", place] + arguments + SessionDesk.camera
            return try RunningCommand(line, in: command.folder, launcher: space.launcher)
        }

        func resume(_ command: borrowing Command) async throws -> RunningCommand.Outcome {
            let folder = place + "/" + URL(filePath: try folder).lastPathComponent
            let process = try RunningCommand.session(
                "resume", folder, "--auto", "--json", in: command, launcher: space.launcher)
            try await process.hurry()
            return await process.outcome()
        }
    }

    @Test func `A session reports a full disk, waits, and continues when there is room`() async throws {
        let command = try Command()
        let disk = try Disk(command, size: "1M")
        let process = try disk.run("quick.yaml", in: command)
        try await process.hurry { $0["phase"] == "ready" }
        process.send(SIGUSR1)
        _ = try await process.event("captured")
        // dd writes until the disk is full.
        try? disk.space.run("dd", "if=/dev/zero", "of=\(disk.place)/other", "bs=4k", "status=none")
        try await process.hurry { $0["phase"] == "armed" }
        process.send(SIGUSR1)
        let error = try #require(try await process.event("failed").object("error"))
        #expect((error["message"] ?? "").lowercased().contains("disk is full"))
        try disk.space.run("rm", disk.place + "/other")
        try await process.hurry { $0["phase"] == "armed" }
        process.send(SIGUSR1)
        #expect(try await process.event("captured").object("picture")?["stage"] == "two")
        process.send(SIGINT)
        #expect(await process.outcome().status == 130)
        #expect(try StoredSession(disk.folder).pictures.map { $0["stage"] as String? } == ["one", "two"])
        #expect(try await disk.resume(command).status == 0)
        #expect(try StoredSession(disk.folder).record["state"] == "accepted")
    }

    @Test func `A clip that fills the disk fails with one line, and is recorded again when there is room`() async throws
    {
        let command = try Command()
        let disk = try Disk(command, size: "4M")
        let process = try disk.run("clip.yaml", in: command)
        try await process.hurry { $0["phase"] == "ready" }
        process.send(SIGUSR1)
        try await process.hurry { $0.name == "recording" }
        // dd writes until only the space is left that the clip holds back for its end.
        try? disk.space.run("dd", "if=/dev/zero", "of=\(disk.place)/other", "bs=4k", "status=none")
        let error = try #require(try await process.event("failed").object("error"))
        #expect((error["message"] ?? "").lowercased().contains("disk is full"))
        let names = try FileManager.default.contentsOfDirectory(atPath: disk.folder)
        #expect(names.sorted() == ["session.json", "session.yaml"])
        try disk.space.run("rm", disk.place + "/other")
        process.send(SIGUSR1)
        try await process.hurry { $0.name == "recording" }
        process.send(SIGUSR1)
        _ = try await process.event("captured")
        process.send(SIGINT)
        #expect(await process.outcome().status == 130)
        #expect(try StoredSession(disk.folder).names == ["hello-002.mp4"])
    }

    @Test func `An automatic session ends if the disk is full, and can be resumed when there is room`() async throws {
        let command = try Command()
        // Room for two pictures of three pages each, the record twice, and the copy of the session.
        let disk = try Disk(command, size: "36k")
        let process = try disk.run("auto.yaml", "--auto", in: command)
        try await process.hurry()
        let outcome = await process.outcome()
        #expect([73, 74].contains(outcome.status), "\(outcome.error)")
        #expect(outcome.error.lowercased().contains("disk is full"))
        let events = try outcome.events
        let reported = events.compactMap { $0.object("picture")?["sha256"] as String? }
        #expect(!reported.isEmpty && reported.count < 3 && events.count { $0.name == "failed" } == 3)
        #expect(try StoredSession(disk.folder).pictures.map { $0["sha256"] as String? } == reported)
        try disk.space.run("mount", "-o", "remount,size=1M", disk.place)
        let resumed = try await disk.resume(command)
        #expect(resumed.status == 0, "\(resumed.error)")
        let stored = try StoredSession(disk.folder)
        #expect(stored.pictures.prefix(reported.count).map { $0["sha256"] as String? } == reported)
        #expect(stored.pictures.map { $0["stage"] as String? } == ["one", "two", "three"])
    }

    @Test func `A session reports a read-only disk before the camera is opened`() async throws {
        let command = try Command()
        let disk = try Disk(command, size: "1M")
        try disk.space.run("mount", "-o", "remount,ro", disk.place)
        let outcome = try await disk.run("auto.yaml", "--auto", in: command).outcome()
        #expect([73, 77].contains(outcome.status), "\(outcome.error)")
        #expect(outcome.error.contains(disk.place) && outcome.error.filter { $0 == "\n" }.count <= 2)
        #expect(try !outcome.events.contains { $0.name == "opening" })
    }
}
