// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Synchronization

/// The built command in a separate terminal (script(1)), with simulated keys.
final class TerminalSession: Sendable {
    private let process: ChildProgram
    private let input = Pipe()
    private let output = Pipe()
    private let shown = Mutex("")
    private let chunks = AsyncStream.makeStream(of: Void.self)

    /// Runs a line in a shell there, which then prints the status, and whether the terminal echoes again.
    init(_ line: String, in folder: URL) throws {
        let folderOfPrograms = try RunningCommand.program().deletingLastPathComponent().path
        let after = "echo status $?; stty -a | grep -q ' icanon.* echo ' && echo taken back"
        let line = ["script", "-qefc", "stty icanon echo; trap : INT QUIT; \(line); \(after)", "/dev/null"]
        let variables = ProcessInfo.processInfo.environment
        let environment = [
            "PATH": folderOfPrograms + ":/usr/bin:/bin", "HOME": variables["HOME"] ?? "/", "TERM": "xterm",
            "LANG": "C.UTF-8", "SHELL": "/bin/sh",
        ].merging(RunningCommand.patience) { $1 }
        // A session can end before the test types.
        signal(SIGPIPE) { _ in }
        process = try ChildProgram(
            line, in: folder, environment: environment, input: .pipe(input), output: .pipe(output))
        Thread.detachNewThread { [self] in collect() }
    }

    deinit { process.send(SIGKILL) }

    /// Types keys; they are lost after the end of the session.
    func type(_ keys: String) { try? input.fileHandleForWriting.write(contentsOf: Data(keys.utf8)) }

    /// Waits until the terminal shows `text`.
    func wait(for text: String) async throws {
        var chunks = chunks.stream.makeAsyncIterator()
        while !shown.withLock({ $0.contains(text) }) {
            guard await chunks.next() != nil else { throw Missing(text: text, shown: shown.withLock { $0 }) }
        }
    }

    /// Types keys each time that the terminal shows `question`, until it shows `text`.
    func answer(_ question: String, with keys: String, until text: String) async throws {
        var chunks = chunks.stream.makeAsyncIterator()
        var answered = 0
        while true {
            let screen = shown.withLock { $0 }
            if screen.contains(text) { return }
            let asked = screen.ranges(of: question).count
            if asked > answered { type(keys) }
            answered = asked
            guard await chunks.next() != nil else { throw Missing(text: text, shown: screen) }
        }
    }

    /// Waits for the end; returns all text that was shown.
    func end() async throws -> String {
        for await _ in chunks.stream {}
        return shown.withLock { $0 }
    }

    /// The session ended before this was shown.
    struct Missing: Error {
        let text: String
        let shown: String
    }

    private func collect() {
        let handle = output.fileHandleForReading
        while case let chunk = handle.availableData, !chunk.isEmpty {
            shown.withLock { $0 += String(decoding: chunk, as: UTF8.self) }
            chunks.continuation.yield()
        }
        chunks.continuation.finish()
    }
}
