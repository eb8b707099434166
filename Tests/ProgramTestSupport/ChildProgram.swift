// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import PipelineKit
import Synchronization
import Testing

/// A program that runs as a child process, in place of Foundation's `Process`: in Swift 6.3, its `run()` reads beyond
/// the names of /proc/self/fd, and crashes the tests now and then (swift-corelibs-foundation, pull request 5472).
///
/// The program has the default signal settings, its own process group, and no files but its standard streams. Our ends of
/// its pipes stay open as long as this object.
package final class ChildProgram: Sendable {
    /// A standard stream of the program.
    package enum Stream: Sendable {
        /// No content: `/dev/null`.
        case null
        /// The stream of the tests.
        case inherited
        case file(FileHandle)
        /// A pipe; the tests have its other end.
        case pipe(Pipe)
    }

    private struct State {
        var status: Int32?
        var waiting: [CheckedContinuation<Int32, Never>] = []
    }

    private let process: ChildProcess
    private let streams: [Stream]
    private let state = Mutex(State())
    private let running = DispatchGroup()

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - line: The program, by its path or by a name in `PATH`, and its arguments. If there is no such program, the
    ///     status is 127 (env(1)).
    ///   - folder: The working folder; `nil` for that of the tests.
    ///   - environment: All variables; `nil` for those of the tests.
    package init(
        _ line: [String], in folder: URL? = nil, environment: [String: String]? = nil, input: Stream = .null,
        output: Stream = .inherited, error: Stream = .inherited
    ) throws {
        streams = [input, output, error]
        let variables = environment ?? ProcessInfo.processInfo.environment
        process = try ChildProcess(
            "/usr/bin/env", arguments: ["env"] + (folder.map { ["-C", $0.path] } ?? []) + line,
            environment: variables.map { "\($0)=\($1)" },
            streams: [
                input.descriptor(STDIN_FILENO, \.fileHandleForReading),
                output.descriptor(STDOUT_FILENO, \.fileHandleForWriting),
                error.descriptor(STDERR_FILENO, \.fileHandleForWriting),
            ])
        // A pipe ends when no process has its other end anymore.
        input.close(\.fileHandleForReading)
        output.close(\.fileHandleForWriting)
        error.close(\.fileHandleForWriting)
        running.enter()
        Thread.detachNewThread { [self] in end(process.reap()) }
    }

    /// The process ID.
    package var identifier: Int32 { process.identifier }

    /// `false` after the program has ended.
    package var isRunning: Bool { state.withLock { $0.status == nil } }

    /// Sends a signal to the program, and not to its children. Has no effect after its end.
    package func send(_ signal: Int32) { if isRunning { kill(identifier, signal) } }

    /// Waits for the end of the program. Returns its exit status, or the signal that ended it.
    package func status() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status = state.withLock { state in
                if state.status == nil { state.waiting.append(continuation) }
                return state.status
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    /// Waits as ``status()`` does, and blocks the thread.
    @discardableResult
    package func wait() -> Int32 {
        running.wait()
        return state.withLock { $0.status } ?? -1
    }

    private func end(_ ending: ChildProcess.Ending) {
        let status: Int32 =
            switch ending {
            case .exited(let status): status
            case .killed(let signal): signal
            case .unknown: -1
            }
        let waiting = state.withLock { state in
            state.status = status
            return state.waiting
        }
        running.leave()
        for continuation in waiting { continuation.resume(returning: status) }
    }
}

extension ChildProgram.Stream {
    fileprivate func descriptor(_ own: Int32, _ end: KeyPath<Pipe, FileHandle>) -> ChildProcess.Stream {
        switch self {
        case .null: .null
        case .inherited: .descriptor(own)
        case .file(let handle): .descriptor(handle.fileDescriptor)
        case .pipe(let pipe): .descriptor(pipe[keyPath: end].fileDescriptor)
        }
    }

    fileprivate func close(_ end: KeyPath<Pipe, FileHandle>) {
        if case .pipe(let pipe) = self { try? pipe[keyPath: end].close() }
    }
}

extension Pipe {
    /// Returns the first line that a program prints, without its end. Blocks. The program may write it in pieces.
    package func line() throws -> String {
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let part = fileHandleForReading.availableData
            try #require(!part.isEmpty)
            line += part
        }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }
}
