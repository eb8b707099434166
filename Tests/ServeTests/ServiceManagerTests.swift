// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Glibc
import ProgramTestSupport
import Testing

@Suite("A service under systemd", .ownThread, .serialized, .timeLimit(.minutes(5)))
struct ServiceManagerTests {
    private static let cameras = """
          garden:
            camera: scene
            width: 320
            height: 240
            series:
              quick: { interval: 100ms, output: "FOLDER/%05n.jpg" }
        """

    /// Starts the service with variables that systemd sets.
    private func start(_ variables: [String: String]) throws -> ServedProgram {
        try ServedProgram(Self.cameras, environment: variables)
    }

    @Test("systemd receives readiness, status, a reload and the end")
    func life() async throws {
        let socket = try NotifySocket("@gst-capture-\(UUID())")
        let program = try start(["NOTIFY_SOCKET": socket.name])
        #expect(await socket.line("READY=1") != nil)
        #expect(await socket.line("STATUS=1 camera, 1 series: ") != nil)
        try program.reload(Self.cameras.replacing("quick", with: "other"))
        #expect(await socket.line("RELOADING=1") != nil)
        #expect(await socket.line("MONOTONIC_USEC=") != nil)
        #expect(await socket.line("READY=1") != nil)
        try program.reload("  garden: { width: x }\n")
        #expect(await socket.line("RELOADING=1") != nil)
        #expect(await socket.line("READY=1") != nil)
        #expect(await program.stop() == 0)
        #expect(await socket.line("STOPPING=1") != nil)
        #expect(socket.received.count { $0 == "STOPPING=1" } == 1 && !socket.received.contains("WATCHDOG=1"))
    }

    @Test("The watchdog receives messages while frames flow")
    func watchdog() async throws {
        let socket = try NotifySocket("@gst-capture-\(UUID())")
        let program = try start(["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "400000"])
        for _ in 0..<3 { #expect(await socket.line("WATCHDOG=1") != nil) }
        #expect(await program.stop() == 0)
    }

    @Test("The service takes over a socket that listens already, and stops with it")
    func activation() async throws {
        let folder = try ServedProgram.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("serve.sock").path
        let file = folder.appendingPathComponent("serve.yaml")
        try Data(ServedProgram.text(Self.cameras, folder).utf8).write(to: file)
        let listener = try Activator(path)
        let output = Pipe()
        let process = try listener.start(
            [ServedProgram.built("gst-capture-serve").path, file.path], output: .pipe(output))
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(line == "unix:\(path)\n")
        let response = try await Curl.get(path, "/healthz")
        #expect(response.contains("ok") && response.contains("Date: "), "\(response)")
        process.send(SIGTERM)
        #expect(await process.status() == 0)
        #expect(FileManager.default.fileExists(atPath: path), "the socket belongs to systemd")
    }

    @Test(
        "Descriptors that are no sockets, and wrong numbers of them, are refused with a line",
        arguments: ["file", "99999999999", "-1"])
    func hostileSockets(kind: String) async throws {
        let folder = try ServedProgram.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let listener = try Activator(folder.path + "/a.sock")
        let errors = Pipe()
        let process = try listener.start(
            [ServedProgram.built("gst-capture-serve").path], error: .pipe(errors),
            count: kind == "file" ? "1" : kind, closesSocket: kind == "file")
        let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(await process.status() == 78 && text.hasPrefix("error: ") && text.contains("LISTEN_FDS"), "\(text)")
    }

    @Test("A socket that other machines reach needs a token")
    func networkSocket() async throws {
        let folder = try ServedProgram.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("serve.yaml")
        try Data("cameras: { garden: { camera: scene } }\n".utf8).write(to: file)
        let output = Pipe()
        let process = try Activator(anyAddress: ()).start(
            [ServedProgram.built("gst-capture-serve").path, file.path, "--state", folder.path + "/state"],
            output: .pipe(output))
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let port = try #require(line.trimmingCharacters(in: .newlines).split(separator: ":").last, "\(line)")
        #expect(try await Curl.run(["http://127.0.0.1:\(port)/api/v1/status"]).hasPrefix("HTTP/1.1 401 "))
        #expect(try await Curl.run(["http://127.0.0.1:\(port)/healthz"]).hasPrefix("HTTP/1.1 200 "))
        process.send(SIGTERM)
        #expect(await process.status() == 0)
    }
}

/// A socket that listens, which programs inherit as descriptor 3, as from systemd.
private struct Activator: ~Copyable {
    private let descriptor: Int32

    /// Listens on a path.
    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let descriptor = descriptor
        let code = NotifySocket.withAddress(path) { bind(descriptor, $0, $1) }
        guard code == 0, listen(descriptor, 16) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    }

    /// Listens on a free port of all addresses.
    init(anyAddress: Void) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listen(descriptor, 16) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    }

    deinit { close(descriptor) }

    /// Starts a program by a shell, which moves the socket to descriptor 3 and knows its own process ID.
    func start(
        _ line: [String], output: ChildProgram.Stream = .inherited, error: ChildProgram.Stream = .inherited,
        count: String = "1", closesSocket: Bool = false
    ) throws -> ChildProgram {
        let move = closesSocket ? "3</dev/null" : "3<&0"
        let script = "exec env LISTEN_PID=$$ LISTEN_FDS=\(count) \"$@\" \(move) </dev/null"
        let handle = FileHandle(fileDescriptor: dup(descriptor), closeOnDealloc: true)
        return try ChildProgram(
            ["/bin/sh", "-c", script, "sh"] + line, input: .file(handle), output: output, error: error)
    }
}

/// An independent client.
private enum Curl {
    static func get(_ socket: String, _ path: String) async throws -> String {
        try await run(["--unix-socket", socket, "http://localhost\(path)"])
    }

    /// Returns a response with its head.
    static func run(_ arguments: [String]) async throws -> String {
        let output = Pipe()
        let process = try ChildProgram(["curl", "-si"] + arguments, output: .pipe(output))
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        _ = await process.status()
        return text
    }
}
#endif
