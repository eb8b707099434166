// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Synchronization

/// The built command as a separate process.
final class RunningCommand: Sendable {
    /// The result of the process.
    struct Outcome: Sendable {
        let status: Int32
        let output: Data
        let error: String

        var text: String { String(decoding: output, as: UTF8.self) }
        var lines: [String] { text.split(separator: "\n").map(String.init) }
        /// The lines of standard error, without the notice of a slow machine that GStreamer starts late.
        var errorLines: [String] {
            error.split(separator: "\n").map(String.init).filter { !$0.contains("GStreamer has not started after") }
        }
        /// Standard output as events.
        var events: [Event] { get throws { try lines.map(Event.init) } }
    }

    /// The lines of standard output as they arrive, from the start.
    let lines: AsyncStream<String>

    private let process: ChildProgram
    private let output = Collector()
    private let error = Collector()

    /// Starts the command.
    ///
    /// - Parameters:
    ///   - folder: The working folder.
    ///   - environment: Additional variables.
    ///   - launcher: A program with arguments that finally executes the command.
    init(
        _ arguments: [String], in folder: URL, environment: [String: String] = [:], launcher: [String] = []
    ) throws {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        let line = try launcher + [Self.program().path] + arguments
        process = try ChildProgram(
            line, in: folder, environment: Self.environment.merging(environment) { $1 }, output: .pipe(output.pipe),
            error: .pipe(error.pipe))
        output.start {
            continuation.yield($0)
        } atEnd: {
            continuation.finish()
        }
        error.start { _ in
        } atEnd: {
        }
    }

    deinit { send(SIGKILL) }

    /// The process ID.
    var identifier: Int32 { process.identifier }

    /// Sends a signal.
    func send(_ signal: Int32) { process.send(signal) }

    /// Ends a series after the current picture, without the time limits of SIGTERM.
    func finish() { send(SIGUSR2) }

    /// Waits for an event of this name; returns it.
    func event(_ name: String) async throws -> Event {
        for await line in lines {
            let event = try Event(line)
            if event.name == name { return event }
        }
        throw Missing(event: name, error: error.text)
    }

    /// Waits until a preview is open and its layers are drawn. The two events come in either order. Returns that of the
    /// preview.
    @discardableResult
    func awaitDrawing() async throws -> Event {
        var events: [String: Event] = [:]
        for await line in lines {
            let event = try Event(line)
            events[event.name] = event
            if let opened = events["previewing"], events["drawn"] != nil { return opened }
        }
        throw Missing(event: "drawn", error: error.text)
    }

    /// Sends a signal that ends the process, and waits for the end.
    ///
    /// - Returns: The outcome, and `true` if the process may have been too slow: four seconds after the signal it ends with
    ///   the signal's status, and drops the rest of its events.
    func end(by signal: Int32) async -> (outcome: Outcome, isTooSlow: Bool) {
        let start = ContinuousClock.now
        send(signal)
        let outcome = await outcome()
        return (outcome, outcome.status == 128 + signal && ContinuousClock.now - start >= .seconds(4))
    }

    /// Waits for the end of the process.
    func outcome() async -> Outcome {
        Outcome(
            status: await process.status(), output: await output.data(),
            error: String(decoding: await error.data(), as: UTF8.self))
    }

    /// The command ended before this event came.
    struct Missing: Error {
        let event: String
        let error: String
    }

    // The command beside the program that runs the tests.
    static func program() throws -> URL {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("gst-capture")
    }

    /// The limits of a command that a machine which stands still for seconds must not reach: of a camera that is silent,
    /// and of a hook.
    static let patience = ["GST_CAPTURE_STALL_AFTER": "1h", "GST_CAPTURE_EXEC_LIMIT": "1h"]

    // A clean environment, without the developer's own settings.
    private static let environment: [String: String] = {
        let wanted = ["PATH", "HOME", "LD_LIBRARY_PATH", "GST_PLUGIN_PATH", "GST_REGISTRY", "XDG_CACHE_HOME"]
        let inherited = ProcessInfo.processInfo.environment.filter { wanted.contains($0.key) }
        return inherited.merging(RunningCommand.patience) { $1 }.merging(["LANG": "C.UTF-8"]) { $1 }
    }()
}

/// Reads everything from a pipe, on a separate thread.
private final class Collector: Sendable {
    let pipe = Pipe()
    private let bytes = Mutex(Data())
    private let end = AsyncStream<Void>.makeStream()

    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

    func start(line: @escaping @Sendable (String) -> Void, atEnd: @escaping @Sendable () -> Void) {
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread { [self] in
            var rest = Data()
            while case let chunk = Self.read(handle.fileDescriptor), !chunk.isEmpty {
                bytes.withLock { $0 += chunk }
                rest += chunk
                while let index = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    line(String(decoding: rest[rest.startIndex..<index], as: UTF8.self))
                    rest = Data(rest[(index + 1)...])
                }
            }
            atEnd()
            end.continuation.finish()
        }
    }

    // Returns available bytes as soon as there are any; FileHandle waits for more, or dies of a signal.
    private static func read(_ descriptor: Int32) -> Data {
        var bytes = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Foundation.read(descriptor, &bytes, bytes.count)
            if count >= 0 || errno != EINTR { return Data(bytes.prefix(max(0, count))) }
        }
    }

    func data() async -> Data {
        for await _ in end.stream {}
        return bytes.withLock { $0 }
    }
}
