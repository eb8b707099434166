// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Foundation
import PresetKit
import Testing

@testable import gst_capture

@Suite("Stopping", .timeLimit(.minutes(2)))
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

    @Test("A delayed picture ends with the signal's status", arguments: [SIGTERM, SIGINT])
    func delay(signal: Int32) async throws {
        let command = try Command()
        let process = try command.start(
            "snap", "--camera", "scene", "--delay", "1h", "--countdown", "1h", "-o", "a.jpg", "--json")
        _ = try await process.event("countdown")
        process.send(signal)
        #expect(await process.outcome().status == 128 + signal)
        #expect(try command.files() == [])
    }

    @Test("SIGTERM does not wait for a disk that hangs")
    func hangingDisk() async throws {
        let command = try Command()
        let library = try command.library("int fsync(int file) { for (;;) pause(); }")
        let process = try command.start(
            "snap", "--camera", "scene", "-o", "a.jpg", "--json", environment: ["LD_PRELOAD": library])
        _ = try await process.event("will-capture")
        process.send(SIGTERM)
        #expect(await process.outcome().status == 128 + SIGTERM)
    }

    @Test("A start of GStreamer that takes long is reported")
    func slowStart() async throws {
        let command = try Command()
        let library = try command.library(
            """
            int gst_init_check(int *count, char ***arguments, void *error) {
                sleep(6);
                int (*real)(int *, char ***, void *) = dlsym(RTLD_NEXT, "gst_init_check");
                return real(count, arguments, error);
            }
            """)
        let process = try command.start(
            "snap", "--camera", "scene", "-o", "a.jpg", "--json", environment: ["LD_PRELOAD": library])
        let outcome = await process.outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        let events = try outcome.events.map(\.name)
        #expect(events.first == "notice" && events.contains("captured"), "\(events)")
        #expect(try outcome.events.first?["code"] == "start-delayed")
        #expect(String(decoding: outcome.output, as: UTF8.self).contains("GStreamer has not started after 5 s"))
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
                throw CaptureError(.usage, "called off")
            }, rasterizer: nil,
            hooks: HookRunner(HookCommands(CaptureSettings(), configuration.source)) { _ in })
        async let status = loop.run(signals)
        send.yield(SIGHUP)
        for await _ in reloads { break }
        send.yield(SIGTERM)
        _ = await status
    }
}

private struct SilentPrinter: EventPrinter {
    func show(_ event: CaptureEvent) {}
    func report(_ remark: Remark) {}
}
