// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@Suite("A reader that stalls", .timeLimit(.minutes(5)))
struct StalledReaderTests {
    @Test("Pictures and hooks continue while the reader of standard output stalls, and the command reports the loss")
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
            ], in: command.folder, launcher: ["/bin/sh", "-c", "exec \"$@\" >output", "sh"])
        // A pipe holds the events of less than 150 slots.
        await Self.readLines(250, from: reader)
        process.send(SIGTERM)
        let outcome = await process.outcome()
        #expect(outcome.status == 74)
        #expect(outcome.error.contains("standard output cannot be written"))
        #expect(try command.files().filter { $0.hasSuffix(".jpg") }.count >= 250)
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
