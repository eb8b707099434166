// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Foundation
import HookKit
import PresetKit
import Testing

@testable import gst_capture

@Suite("Stopping", .timeLimit(.minutes(5)))
struct StoppingTests {
    @Test("A source that hangs while it opens does not delay a signal", arguments: [SIGTERM, SIGINT])
    func opening(signal: Int32) async throws {
        let command = try Command()
        try #require(mkfifo(command.folder.path + "/pipe", 0o600) == 0)
        let process = try command.start(
            "snap", "--source", "filesrc location=pipe ! jpegdec", "-o", "a.jpg", "--json")
        _ = try await process.event("opening")
        process.send(signal)
        let outcome = await process.outcome()
        #expect(outcome.status == 128 + signal, "\(outcome.error)")
        #expect(try command.files() == ["pipe"])
    }

    @Test("A signal before a delayed picture ends the command with its status", arguments: [SIGTERM, SIGINT])
    func delay(signal: Int32) async throws {
        let command = try Command()
        let process = try command.start(
            "snap", "--camera", "scene", "--delay", "1h", "--countdown", "1h", "-o", "a.jpg", "--json")
        _ = try await process.event("countdown")
        process.send(signal)
        #expect(await process.outcome().status == 128 + signal)
        #expect(try command.files() == [])
    }

    @Test(
        "SIGTERM does not wait for a disk that hangs, nor for a thread that hangs in a write to standard error",
        arguments: ["", "flockfile(stderr);"])
    func hangingDisk(before: String) async throws {
        let command = try Command()
        let library = try command.library("int fsync(int file) { \(before) for (;;) pause(); }")
        let process = try command.start(
            "snap", "--camera", "scene", "-o", "a.jpg", "--json", environment: ["LD_PRELOAD": library])
        _ = try await process.event("will-capture")
        process.send(SIGTERM)
        #expect(await process.outcome().status == 128 + SIGTERM)
    }

    @Test("If the disk hangs after the first picture, SIGTERM ends the series with that picture")
    func hangingDiskAfterPicture() async throws {
        let command = try Command()
        let library = try command.library(
            """
            int fsync(int file) {
                while (access("hang", F_OK) == 0) pause();
                int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
                return real(file);
            }
            """)
        let process = try command.start(
            "timelapse", "--camera", "scene", "--interval", "1h", "-o", "%n.jpg", "--ledger", "off", "--json",
            environment: ["LD_PRELOAD": library])
        _ = try await process.event("captured")
        try command.write("", to: "hang")
        process.send(SIGUSR1)
        _ = try await process.event("will-capture")
        process.send(SIGTERM)
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        let finished = try outcome.events.filter { $0.name == "finished" }
        #expect(finished.map { $0.object("summary")?["captured"] as Int? } == [1])
    }

    @Test("A start of GStreamer that takes more than five seconds is reported")
    func slowStart() async throws {
        let command = try Command()
        let library = try command.library(
            """
            int gst_init_check(int *count, char ***arguments, void *error) {
                while (access("reported", F_OK) != 0) usleep(10000);
                int (*real)(int *, char ***, void *) = dlsym(RTLD_NEXT, "gst_init_check");
                return real(count, arguments, error);
            }
            """)
        let process = try command.start(
            "snap", "--camera", "scene", "-o", "a.jpg", "--json", environment: ["LD_PRELOAD": library])
        _ = try await process.event("notice")
        try command.write("", to: "reported")
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        let events = try outcome.events.map(\.name)
        #expect(events.first == "notice" && events.contains("captured"), "\(events)")
        #expect(try outcome.events.first?["code"] == "start-delayed")
        #expect(String(decoding: outcome.output, as: UTF8.self).contains("GStreamer has not started after 5 s"))
    }

    @Test("A reload that hangs in reading the preset does not delay a signal")
    func reloadOfHangingFile() async throws {
        let command = try Command()
        try command.write("width: 160\n", to: "mine.yaml")
        let library = try command.library(
            """
            int open(const char *path, int flags, unsigned mode) {
                int (*real)(const char *, int, unsigned) = dlsym(RTLD_NEXT, "open");
                char byte;
                if (__builtin_strstr(path, "mine.yaml") && access("gate", F_OK) == 0)
                    read(real("gate", 0, 0), &byte, 1);
                return real(path, flags, mode);
            }
            """)
        let process = try command.start(
            "timelapse", "--camera", "scene", "--preset", "./mine.yaml", "--interval", "1h", "-o", "%n.jpg", "--ledger",
            "off", "--json", environment: ["LD_PRELOAD": library])
        _ = try await process.event("captured")
        let gate = command.folder.appendingPathComponent("gate")
        try #require(mkfifo(gate.path, 0o600) == 0)
        process.send(SIGHUP)
        // Waits until the command reads the preset, which takes until the FIFO is closed.
        let handle = try FileHandle(forWritingTo: gate)
        process.send(SIGTERM)
        #expect(await process.outcome().status == 0)
        try handle.close()
    }

    @Test("A reload that hangs does not delay a signal")
    func reload() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gst-capture-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let template = try FileNameTemplate(parsing: folder.path + "/%n.jpg")
        var configuration = CaptureConfiguration(
            source: .fragment("videotestsrc is-live=true"), output: .files(template))
        configuration.schedule = .every(.seconds(3600))
        let (reloads, enter) = AsyncStream.makeStream(of: Void.self)
        let (never, held) = AsyncStream.makeStream(of: Never.self)
        defer { held.finish() }
        let (signals, send) = AsyncStream.makeStream(of: Int32.self)
        let loop = CaptureLoop(
            configuration, reporter: EventReporter(SilentPrinter()),
            reload: { () throws(CaptureError) -> CaptureLoop.Successor in
                enter.yield()
                for await _ in never {}
                throw CaptureError(.usage, "was canceled")
            }, rasterizer: nil,
            hooks: HookRunner(HookCommands(CaptureSettings(), configuration.source)) { _ in })
        async let status = loop.run(signals)
        send.yield(SIGHUP)
        for await _ in reloads { break }
        // SIGTERM has a time limit, after which it would end the process of the tests.
        send.yield(SIGUSR2)
        _ = await status
    }
}

private struct SilentPrinter: EventPrinter {
    func show(_ event: CaptureEvent) {}
    func report(_ remark: Remark) {}
}
