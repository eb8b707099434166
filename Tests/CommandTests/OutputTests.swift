// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

@Suite("Output that fails", .timeLimit(.minutes(5)))
struct OutputTests {
    @Test("A folder that cannot be created ends the command with status 73")
    func folder() async throws {
        let command = try Command()
        try command.write("a file", to: "file")
        let outcome = try await command.run("snap", "--camera", "scene", "-o", "file/a.jpg")
        #expect(outcome.status == 73, "\(outcome.error)")
        #expect(outcome.errorLines == ["gst-capture: file: Not a directory", "  → choose another folder or name"])
    }

    @Test(
        "A folder without write permission ends the command with status 73 or 77",
        .enabled(if: getuid() != 0, "optional: root may write anywhere"))
    func permission() async throws {
        let outcome = try await Command().run("snap", "--camera", "scene", "-o", "/a.jpg")
        #expect([73, 77].contains(outcome.status))
    }

    @Test(
        "A full disk is reported, the pictures before it are whole, and no partial file is left",
        .enabled(if: getuid() == 0, "optional: only root may mount a disk that is so small"))
    func fullDisk() async throws {
        let command = try Command()
        let disk = try TinyDisk(at: command.folder.appendingPathComponent("disk"), kilobytes: 128)
        let process = try command.start(
            "timelapse", "--camera", "scene", "--width", "640", "--height", "480", "--interval", "50ms", "-o",
            "disk/%02n.jpg", "--json")
        _ = try await process.event("storage-paused")
        process.finish()
        let outcome = await process.outcome()
        #expect([73, 74].contains(outcome.status), "\(outcome.error)")
        let events = try outcome.events
        let error = events.lazy.compactMap { $0.object("error") }.first
        let message: String = error?["message"] ?? ""
        #expect(message.lowercased().contains("disk is full"))
        let captured: [String] = events.filter { $0.name == "captured" }.compactMap { $0["file"] }
        #expect(!captured.isEmpty)
        #expect(try command.files().filter { $0 != "disk" } == captured)
        for file in captured { #expect(try command.bytes(file).isJPEG) }
        disk.unmount()
    }

    @Test(
        "An output that is not a regular file is refused before the camera is opened, and not touched",
        arguments: [
            (["-o", "folder"], 73), (["-o", "folder/"], 73), (["-o", "nul", "--overwrite"], 73),
            (["-o", "%n.jpg", "--latest", "folder"], 73), (["-o", "a.jpg", "--latest", "a.jpg"], 64),
            (["-o", "a.gif"], 64),
        ] as [([String], Int32)])
    func notFiles(arguments: [String], status: Int32) async throws {
        let command = try Command()
        let (folder, pipe) = (command.folder.path + "/folder", command.folder.path + "/nul")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try #require(mkfifo(pipe, 0o600) == 0)
        let outcome = try await RunningCommand(
            ["snap", "--camera", "scene", "--json"] + arguments, in: command.folder
        ).outcome()
        #expect(outcome.status == status)
        #expect(try !outcome.events.contains { $0.name == "opening" })
        #expect(try command.files() == ["folder", "nul"])
    }

    @Test("A standard output that cannot be written ends the command with status 74")
    func lostOutput() async throws {
        let command = try Command()
        let path = try RunningCommand.program().path
        let line = "\"$0\" snap --camera scene -o a.jpg >/dev/full 2>said"
        let status = try await ChildProgram(["sh", "-c", line, path], in: command.folder).status()
        let said = try String(decoding: command.bytes("said"), as: UTF8.self)
        try #require(status == 74, "\(said)")
        #expect(try command.bytes("a.jpg").isJPEG)
    }

    @Test("Passwords in arguments are seen neither by other processes nor in events")
    func password() async throws {
        let command = try Command()
        let source = #"videotestsrc is-live=true ! identity name="http://ann:s3cret@camera""#
        let running = try RunningCommand(
            ["timelapse", "--json", "--interval", "1h", "--source", source, "-o", "%n.jpg"], in: command.folder)
        let opening = try await running.event("opening")
        let seen = try Data(contentsOf: URL(filePath: "/proc/\(running.identifier)/cmdline"))
        #expect(String(decoding: seen, as: UTF8.self).contains("http://***@camera"))
        #expect(!String(decoding: seen, as: UTF8.self).contains("s3cret"))
        let pipeline: String? = opening["pipeline"]
        #expect(pipeline?.contains("http://***@camera") == true)
        let (outcome, _) = await running.end(by: SIGTERM)
        #expect(!outcome.text.contains("s3cret") && !outcome.error.contains("s3cret"))
    }

    @Test("A file that cannot be written ends the command with an error, not with a signal")
    func closedPipe() async throws {
        let command = try Command()
        let outcome = try await command.run("snap", "--camera", "scene", "-o", "/dev/full")
        #expect(outcome.status != 0 && outcome.status < 128)
    }
}

/// A file system in memory with a few kilobytes.
private final class TinyDisk {
    private let folder: URL

    init(at folder: URL, kilobytes: Int) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    func unmount() { umount(folder.path) }

    deinit { unmount() }
}
