// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Glibc
import ProgramTestSupport
import Synchronization
import Testing

/// A Mosquitto with a user, as a separate process.
final class Broker: Sendable {
    let port: UInt16
    private let process: ChildProgram
    private let folder: URL
    private let log: Log

    /// Starts a broker at a port, and waits until it listens.
    init(in folder: URL, port: UInt16? = nil) async throws {
        self.folder = folder
        self.port = try port ?? FreePort.number()
        let file = folder.appendingPathComponent("mosquitto.conf")
        let passwords = folder.appendingPathComponent("passwords")
        if port == nil {
            let result = try await ServedProgram.run(
                ["/usr/bin/mosquitto_passwd", "-b", "-c", passwords.path, "camera", "secret word"], in: folder)
            try #require(result.status == 0, "\(result.error)")
        }
        let text = """
            listener \(self.port) 127.0.0.1
            password_file \(passwords.path)
            allow_anonymous false
            user \(NSUserName())
            log_dest stderr
            log_type all
            """
        try Data(text.utf8).write(to: file)
        let output = Pipe()
        process = try ChildProgram(
            ["/usr/sbin/mosquitto", "-c", file.path], in: folder, output: .pipe(output), error: .pipe(output))
        var log = ""
        while !log.contains("running") {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "\(log)")
            log += String(decoding: data, as: UTF8.self)
        }
        // The rest of the log must not fill the pipe. A readabilityHandler of Foundation missed the end of a pipe once.
        let rest = Log()
        self.log = rest
        Thread.detachNewThread {
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                rest.append(String(decoding: data, as: UTF8.self))
            }
            rest.end()
        }
    }

    /// Ends the broker. Returns its log since it listens.
    func end() async -> String {
        await stop()
        return await log.whole()
    }

    /// The log, complete when the broker has ended.
    private final class Log: Sendable {
        private let text = Mutex("")
        private let ending = AsyncStream<Void>.makeStream()

        func append(_ more: String) { text.withLock { $0 += more } }

        func end() { ending.continuation.finish() }

        func whole() async -> String {
            for await _ in ending.stream {}
            return text.withLock { $0 }
        }
    }

    deinit { process.send(SIGKILL) }

    func stop() async {
        process.send(SIGTERM)
        _ = await process.status()
    }

    /// Has the broker keep the messages on a topic for a subscriber that reads them later.
    func subscribe(_ name: String, _ topic: String) async throws {
        let line = ["/usr/bin/mosquitto_sub", "-p", "\(port)", "-u", "camera", "-P", "secret word", "-E", "-t", topic]
        let result = try await ServedProgram.run(line + Self.subscriber(name), in: folder)
        try #require(result.status == 0, "\(result.error)")
    }

    private static func subscriber(_ name: String?) -> [String] { name.map { ["-i", $0, "-c", "-q", "1"] } ?? [] }

    /// Waits for messages on topics, each as its topic and its payload.
    ///
    /// - Parameter name: A subscriber for which the broker has kept messages; `nil` for a new one.
    func messages(
        _ count: Int, _ topics: String..., name: String? = nil
    ) async throws -> [(topic: String, payload: String)] {
        let line =
            [
                "/usr/bin/mosquitto_sub", "-p", "\(port)", "-u", "camera", "-P", "secret word", "-v", "-C", "\(count)",
                "-W", "60",
            ]
            + topics.flatMap { ["-t", $0] } + Self.subscriber(name)
        let result = try await ServedProgram.run(line, in: folder)
        try #require(result.status == 0, "\(result.output) \(result.error)")
        return result.output.split(separator: "\n").map { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
    }

    /// Waits for a message on a topic that contains a text. The retained one counts, too.
    func message(_ topic: String, with text: String) async throws -> String {
        let output = Pipe()
        let process = try ChildProgram(
            [
                "/usr/bin/mosquitto_sub", "-p", "\(port)", "-u", "camera", "-P", "secret word", "-t", topic, "-W", "60",
            ], in: folder, output: .pipe(output), error: .null)
        var seen = ""
        while !seen.contains(text) {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "\(topic): \(seen)")
            seen += String(decoding: data, as: UTF8.self)
        }
        process.send(SIGKILL)
        _ = await process.status()
        return String(seen.split(separator: "\n").last { $0.contains(text) } ?? "")
    }

    func publish(_ topic: String, _ payload: String, _ options: String...) async throws {
        let result = try await ServedProgram.run(
            [
                "/usr/bin/mosquitto_pub", "-p", "\(port)", "-u", "camera", "-P", "secret word", "-t", topic, "-m",
                payload,
            ] + options,
            in: folder)
        try #require(result.status == 0, "\(result.error)")
    }
}

/// Finds ports of TCP for programs that cannot choose one themselves.
enum FreePort {
    /// The ports below those that the system chooses, which another test may get before the program binds the port.
    private static let ports = UInt16(20_000)..<32_000

    /// Returns a port that is free now.
    static func number() throws -> UInt16 {
        while true {
            let port = ports.randomElement() ?? ports.lowerBound
            if isFree(port) { return port }
            try Task.checkCancellation()
        }
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
#endif
