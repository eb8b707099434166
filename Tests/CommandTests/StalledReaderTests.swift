// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@Suite("A reader that stalls", .timeLimit(.minutes(5)))
struct StalledReaderTests {
    /// Runs a command whose standard output is the FIFO `output`.
    private static let launcher = ["/bin/sh", "-c", "exec \"$@\" >output", "sh"]

    @Test("Pictures and hooks continue while the reader stalls, and the command reports the loss")
    func stalled() async throws {
        let command = try Command()
        let (output, log) = (command.folder.path + "/output", command.folder.path + "/log")
        for path in [output, log] { try #require(mkfifo(path, 0o600) == 0) }
        // Held open and never read.
        let held = open(output, O_RDWR | O_CLOEXEC)
        let reader = open(log, O_RDWR | O_CLOEXEC)
        defer { for descriptor in [held, reader] { close(descriptor) } }
        let process = try RunningCommand(
            [
                "timelapse", "--camera", "scene", "--width", "160", "--height", "120", "--framerate", "120",
                "--interval", "10ms", "--json", "-o", "%n.jpg", "--ledger", "off", "--exec-after",
                "echo $CAPTURE_SLOT >log",
            ], in: command.folder, launcher: Self.launcher)
        // A pipe holds the events of less than 150 slots.
        await Self.readLines(250, from: reader)
        // SIGTERM would limit the time for the last pictures.
        process.send(SIGINT)
        let outcome = await process.outcome()
        #expect(outcome.status == 74)
        #expect(outcome.error.contains("standard output cannot be written"))
        #expect(try command.files().filter { $0.hasSuffix(".jpg") }.count >= 250)
    }

    @Test("A session and its hooks continue while the reader stalls, even if the hooks fail")
    func failingHooks() async throws {
        let command = try Command()
        try command.write(SessionDesk.session(), to: "quick.yaml")
        let held = try Self.fullPipe(command.folder.path + "/output")
        let log = command.folder.path + "/log"
        try #require(mkfifo(log, 0o600) == 0)
        let reader = open(log, O_RDWR | O_CLOEXEC)
        defer { for descriptor in [held, reader] { close(descriptor) } }
        let process = try RunningCommand.session(
            "run", "quick.yaml", "--auto", "--json", "-o", "out", "--exec-after", "echo $CAPTURE_STAGE >log; exit 3",
            in: command, launcher: Self.launcher)
        // The hook of each of the three pictures.
        await Self.readLines(3, from: reader)
        try await Self.awaitAcceptance(command)
        let (outcome, isTooSlow) = await process.end(by: SIGTERM)
        #expect(outcome.status == 74 || isTooSlow, "\(outcome.status)")
    }

    @Test("A signal ends a session that is over and whose last events are not read", arguments: [SIGINT, SIGTERM])
    func sessionEnd(signal: Int32) async throws {
        let command = try Command()
        try command.write("stages:\n  - {name: one, countdown: 0s}\n", to: "one.yaml")
        let held = try Self.fullPipe(command.folder.path + "/output")
        defer { close(held) }
        let process = try RunningCommand.session(
            "run", "one.yaml", "--auto", "--json", "-o", "out", in: command, launcher: Self.launcher)
        try await Self.awaitAcceptance(command)
        let (outcome, isTooSlow) = await process.end(by: signal)
        #expect(outcome.status == 74 || isTooSlow, "\(outcome.status)")
    }

    /// Waits until the session in the folder `out` is accepted. Another process sees it as running until its folder is
    /// closed.
    private static func awaitAcceptance(_ command: borrowing Command) async throws {
        while true {
            try Task.checkCancellation()
            let events = try await command.run("session", "list", "out", "--json").events
            if events.contains(where: { ($0["folder"] as String?) != nil && $0["state"] == "accepted" }) { return }
        }
    }

    /// Makes a FIFO that is full, so that each write to it waits for a reader. Returns a descriptor that keeps it open.
    private static func fullPipe(_ path: String) throws -> Int32 {
        try #require(mkfifo(path, 0o600) == 0)
        let held = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        let page = [UInt8](repeating: UInt8(ascii: "\n"), count: 4096)
        while write(held, page, page.count) > 0 {}
        return held
    }

    /// Reads `count` lines on a thread that may block.
    private static func readLines(_ count: Int, from descriptor: Int32) async {
        let end = AsyncStream<Void>.makeStream()
        Thread.detachNewThread {
            var (lines, bytes) = (0, [UInt8](repeating: 0, count: 4096))
            while lines < count {
                let length = read(descriptor, &bytes, bytes.count)
                guard length > 0 else { break }
                lines += bytes[..<length].count { $0 == UInt8(ascii: "\n") }
            }
            end.continuation.finish()
        }
        for await _ in end.stream {}
    }
}
