// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Glibc
import Testing

@Suite("Requests of programs at a socket", .timeLimit(.minutes(5)))
struct ControlSocketTests {
    /// A program at a socket. Its lines arrive on a separate thread.
    private final class Client: Sendable {
        let lines: AsyncStream<String>
        private let descriptor: Int32

        init(_ path: String) throws {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            self.descriptor = descriptor
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(result == 0)
            let (lines, continuation) = AsyncStream.makeStream(of: String.self)
            self.lines = lines
            Thread.detachNewThread {
                var (text, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
                while true {
                    let count = recv(descriptor, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    text += buffer.prefix(count)
                    while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                        continuation.yield(String(decoding: text[..<end], as: UTF8.self))
                        text.removeFirst(end + 1)
                    }
                }
                continuation.finish()
            }
        }

        deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

        func send(_ text: String) {
            let bytes = Array(text.utf8)
            _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }

        /// Waits for the line of an event.
        func next(_ name: String) async throws -> Event {
            for await line in lines {
                let event = try Event(line)
                if event.name == name { return event }
            }
            throw CocoaError(.fileReadUnknown)
        }
    }

    private static func start(_ path: String, in command: borrowing Command) async throws -> RunningCommand {
        let process = try RunningCommand(
            [
                "timelapse", "--camera", "scene", "--interval", "1h", "-o", "%n.jpg", "--json", "--control",
                "unix:\(path)",
            ], in: command.folder)
        for await line in process.lines where try Event(line).name == "captured" { break }
        return process
    }

    @Test("Each program gets the answers to its own requests, and all get the events")
    func programs() async throws {
        let command = try Command()
        let path = command.folder.path + "/control"
        let process = try await Self.start(path, in: command)
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o660)
        let (first, second) = (try Client(path), try Client(path))
        first.send("{\"do\": \"state\", \"id\": \"a\"}\nnonsense\n")
        second.send("{\"do\": \"state\", \"id\": \"b\"}\n{\"do\": \"capture\", \"id\": \"c\"}\n")
        #expect(try await first.next("state")["id"] == "a")
        #expect(try await first.next("error")["reason"] == "bad-request")
        #expect(try await second.next("state")["id"] == "b")
        _ = try await first.next("captured")
        _ = try await second.next("captured")
        first.send("{\"do\": \"finish\"}\n")
        _ = try await second.next("finished")
        let outcome = await process.outcome()
        #expect(outcome.status == 0)
        #expect(!outcome.text.contains("\"id\""), "answers go only to the program that asked")
        #expect(lstat(path, &status) != 0)
    }

    @Test("A program that never reads, and one that sends no lines, delay no capture")
    func hostile() async throws {
        let command = try Command()
        let path = command.folder.path + "/control"
        let process = try await Self.start(path, in: command)
        let (silent, endless) = (try Client(path), try Client(path))
        endless.send(String(repeating: "x", count: 100_000))
        endless.send("\u{0}\u{1}\n")
        silent.send(String(repeating: "{\"do\": \"state\"}\n", count: 1000))
        let client = try Client(path)
        client.send("{\"do\": \"capture\", \"id\": 1}\n")
        _ = try await client.next("captured")
        client.send("{\"do\": \"stop\"}\n")
        #expect(await process.outcome().status == 0)
    }

    @Test("The socket of a killed process is replaced, and one in use is refused with its process")
    func claim() async throws {
        let command = try Command()
        let path = command.folder.path + "/control"
        let killed = try await Self.start(path, in: command)
        killed.send(SIGKILL)
        _ = await killed.outcome()
        let process = try await Self.start(path, in: command)
        let other = try RunningCommand(
            [
                "timelapse", "--camera", "scene", "--interval", "1h", "-o", "other-%n.jpg", "--json", "--control",
                "unix:\(path)",
            ],
            in: command.folder)
        let refused = await other.outcome()
        #expect(refused.status == 75 && refused.error.contains("process \(process.identifier), listens there"))
        let client = try Client(path)
        client.send("{\"do\": \"finish\"}\n")
        #expect(await process.outcome().status == 0)
    }

    @Test("An unknown way of requests is an error", arguments: ["tcp:1", "unix:", "/run/x", ""])
    func unknown(way: String) async throws {
        let command = try Command()
        let process = try RunningCommand(
            ["timelapse", "--camera", "scene", "--interval", "1h", "-o", "%n.jpg", "--json", "--control", way],
            in: command.folder)
        #expect(await process.outcome().status == 64)
    }
}
