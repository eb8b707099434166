// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Glibc
import ProgramTestSupport
import Synchronization
import Testing

/// The built service as a separate process, on a free port.
final class ServedProgram: Sendable {
    /// A response of the service.
    struct Response {
        let status: Int
        let head: String
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: [String: Any] { (try? JSONSerialization.jsonObject(with: body) as? [String: Any]) ?? [:] }
    }

    let folder: URL
    /// The address that the service has printed.
    let address: String
    /// Its port; 0 for a Unix socket.
    let port: UInt16
    private let process: ChildProgram
    private let errors: URL
    private let ownsFolder: Bool

    /// Starts the service, and waits for its address.
    ///
    /// - Parameters:
    ///   - cameras: The section `cameras`, in which `FOLDER` stands for the folder of the test; `nil` for a service
    ///     without a configuration.
    ///   - folder: The folder of an earlier service, which removes it; `nil` for a new one.
    ///   - ownsFolder: `true` to remove the given folder at the end.
    ///   - head: The other sections of the configuration.
    ///   - listen: The address, whose port the system chooses.
    ///   - arguments: More arguments of the service.
    ///   - environment: Additional variables.
    ///   - descriptors: How many descriptors the service may have; `nil` for those of the tests.
    init(
        _ cameras: String?, in folder: URL? = nil, ownsFolder: Bool = false, head: String = "",
        listen: String = "127.0.0.1:0",
        arguments: [String] = [], environment: [String: String] = [:], descriptors: Int? = nil
    ) throws {
        self.folder = try folder ?? Self.makeFolder()
        self.ownsFolder = ownsFolder || folder == nil
        let folder = self.folder
        let file = folder.appendingPathComponent("serve.yaml")
        if let cameras {
            try Data((head.replacing("FOLDER", with: folder.path) + Self.text(cameras, folder)).utf8).write(to: file)
        }
        errors = folder.appendingPathComponent("errors.txt")
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        let output = Pipe()
        var words = descriptors.map { ["/bin/sh", "-c", "ulimit -n \($0); exec \"$@\"", "sh"] } ?? []
        words.append(Self.program.path)
        if cameras != nil { words.append(file.path) }
        words += ["--listen", listen, "--state", folder.path + "/state"] + arguments
        let program = try ChildProgram(
            words, in: folder, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            output: .pipe(output), error: .file(try FileHandle(forWritingTo: errors)))
        process = program
        _ = Self.endsAtExit
        Self.running.withLock { $0[program.identifier] = program }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        address = line.trimmingCharacters(in: .whitespacesAndNewlines)
        port = UInt16(address.split(separator: ":").last ?? "") ?? 0
        try #require(!address.isEmpty, "\(log)")
    }

    deinit {
        process.send(SIGKILL)
        Self.running.withLock { $0[process.identifier] = nil }
        if ownsFolder { try? FileManager.default.removeItem(at: folder) }
    }

    /// The services that several tests share run until the tests end.
    private static let running = Mutex([Int32: ChildProgram]())
    private static let endsAtExit: Void = {
        atexit { ServedProgram.running.withLock { for process in $0.values { process.send(SIGKILL) } } }
        return ()
    }()

    static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gst-capture-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    static func text(_ cameras: String, _ folder: URL) -> String {
        ("cameras:\n" + cameras).replacing("FOLDER", with: folder.path)
    }

    /// Writes another configuration, and has the service reload it.
    func reload(_ cameras: String) throws {
        try Data(Self.text(cameras, folder).utf8).write(to: folder.appendingPathComponent("serve.yaml"))
        process.send(SIGHUP)
    }

    /// Sends SIGTERM. A test that then reads to the end of a connection blocks its thread, and must send it before.
    func terminate() { process.send(SIGTERM) }

    /// Waits for the end of the service. Returns its exit status.
    func status() async -> Int32 { await process.status() }

    /// Ends the service with SIGTERM. Returns its exit status.
    func stop() async -> Int32 {
        terminate()
        return await status()
    }

    /// Ends the service with SIGKILL.
    func kill() async {
        process.send(SIGKILL)
        _ = await process.status()
    }

    /// The process ID.
    var identifier: Int32 { process.identifier }
    /// Has the service reload its files.
    func hangUp() { process.send(SIGHUP) }

    /// The resident memory of the service, in bytes.
    var memory: Int {
        let text = (try? String(contentsOfFile: "/proc/\(process.identifier)/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
            * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Runs a program to its end. Returns its status and its output.
    static func run(_ line: [String], in folder: URL) async throws -> (status: Int32, output: String, error: String) {
        let (output, error) = (Pipe(), Pipe())
        let program = try ChildProgram(line, in: folder, output: .pipe(output), error: .pipe(error))
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        let words = String(decoding: try error.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        return (await program.status(), text.trimmingCharacters(in: .newlines), words)
    }

    /// Creates a token in the state folder below a folder. Returns the field with it.
    static func token(_ name: String, _ role: String, in folder: URL) async throws -> String {
        let result = try await run(
            [program.path, "token", "add", name, "--role", role, "--state", folder.path + "/state"], in: folder)
        try #require(result.status == 0, "\(result.error)")
        return "Authorization: Bearer \(result.output)"
    }

    /// Waits until the metrics have this line.
    func awaitMetric(_ line: String) throws {
        while try !get("/metrics").text.split(separator: "\n").contains(Substring(line)) {
            try Task.checkCancellation()
        }
    }

    /// Waits until the state of the first camera is as wanted.
    func awaitCamera(_ isWanted: ([String: Any]) -> Bool) throws {
        while try !isWanted((get("/api/v1/cameras").json["cameras"] as? [[String: Any]])?.first ?? [:]) {
            try Task.checkCancellation()
        }
    }

    /// The log so far.
    var log: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

    /// Sends a request, and returns the response.
    func request(_ method: String, _ path: String, _ headers: String...) throws -> Response {
        let lines = ["\(method) \(path) HTTP/1.1", "Connection: close"]
        let hasHost = headers.contains { $0.lowercased().hasPrefix("host:") }
        return try send(
            (lines + (hasHost ? [] : ["Host: 127.0.0.1:\(port)"]) + headers).joined(separator: "\r\n") + "\r\n\r\n")
    }

    /// Sends a request with a body of JSON.
    func send(_ method: String, _ path: String, json: String, _ headers: String...) throws -> Response {
        let lines =
            [
                "\(method) \(path) HTTP/1.1", "Connection: close", "Host: 127.0.0.1:\(port)",
                "Content-Type: application/json", "Content-Length: \(json.utf8.count)",
            ] + headers
        return try send(lines.joined(separator: "\r\n") + "\r\n\r\n" + json)
    }

    /// Sends a request with a body of a media type.
    func send(_ method: String, _ path: String, _ body: Data, type: String) throws -> Response {
        let lines = [
            "\(method) \(path) HTTP/1.1", "Connection: close", "Host: 127.0.0.1:\(port)", "Content-Type: \(type)",
            "Content-Length: \(body.count)",
        ]
        return try send(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    func get(_ path: String, _ headers: String...) throws -> Response {
        let lines = ["GET \(path) HTTP/1.1", "Connection: close", "Host: localhost:\(port)"] + headers
        return try send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    }

    /// Sends a request, and reads the head of the response: a stream has no end.
    func head(_ method: String, _ path: String, _ headers: String...) throws -> (status: Int, text: String) {
        let connection = try Connection(port)
        let lines = ["\(method) \(path) HTTP/1.1", "Connection: close", "Host: 127.0.0.1:\(port)"] + headers
        connection.write(lines.joined(separator: "\r\n") + "\r\n\r\n")
        var text = ""
        while !text.contains("\r\n\r\n"), let more = connection.read() {
            text += String(decoding: more, as: UTF8.self)
        }
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, text)
    }

    /// Sends text, and reads to the end of the connection.
    func send(_ text: String) throws -> Response { try send(Data(text.utf8)) }

    /// Sends bytes, and reads to the end of the connection.
    func send(_ bytes: Data) throws -> Response {
        let connection = try Connection(port)
        connection.write(bytes)
        var data = Data()
        while let more = connection.read() { data += more }
        let end = data.range(of: Data("\r\n\r\n".utf8)) ?? data.endIndex..<data.endIndex
        let head = String(decoding: data[..<end.lowerBound], as: UTF8.self)
        let body = data[end.upperBound...]
        return Response(
            status: head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, head: head,
            body: head.lowercased().contains("transfer-encoding: chunked") ? Self.joined(chunks: body) : Data(body))
    }

    private static func joined(chunks: Data) -> Data {
        var (rest, all) = (chunks[...], Data())
        while let line = rest.range(of: Data("\r\n".utf8)),
            let count = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16), count > 0
        {
            all += rest[line.upperBound...].prefix(count)
            rest = rest[line.upperBound...].dropFirst(count + 2)
        }
        return all
    }

    /// The path of the built program.
    static var program: URL { built("gst-capture-serve") }

    /// Returns the path of a program in the folder of this build.
    static func built(_ name: String) -> URL {
        var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        while !FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent(name).path),
            folder.path != "/"
        {
            folder.deleteLastPathComponent()
        }
        return folder.appendingPathComponent(name)
    }
}

/// A connection to the service. A call that waits for more than a minute returns as at the end of the connection.
final class Connection: Sendable {
    private let descriptor: Int32

    /// - Parameter network: The last but one number of the client's address.
    init(_ port: UInt16, network: UInt32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        if let network {
            address.sin_addr.s_addr = (0x7F00_0001 | network << 8).bigEndian
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            try #require(isBound)
        }
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
    }

    deinit { close(descriptor) }

    /// Sends bytes; the service may close the connection meanwhile.
    func write(_ text: String) { write(Data(text.utf8)) }

    /// Sends bytes; the service may close the connection meanwhile.
    func write(_ data: Data) {
        var bytes = Array(data)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Returns the next bytes; `nil` at the end of the connection.
    func read() -> Data? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Data(buffer[..<count]) : nil
    }
}

/// A client of server-sent events.
final class EventClient {
    /// An event with its fields.
    struct Event {
        let id: String
        let name: String
        let data: [String: Any]
    }

    private let connection: Connection
    private var text = ""

    /// How long an event may take. Comments of the service keep a quiet connection open.
    private static let patience = Duration.seconds(60)

    /// Waits for the first message: events that follow from a later request are then in the stream.
    init(_ program: ServedProgram, _ query: String = "", _ headers: String...) throws {
        connection = try Connection(program.port)
        let lines = ["GET /api/v1/events\(query) HTTP/1.1", "Host: 127.0.0.1:\(program.port)"] + headers
        connection.write(lines.joined(separator: "\r\n") + "\r\n\r\n")
        while !text.contains("id: "), !text.contains(": continues"), receive() {}
    }

    /// Waits for the next event; `nil` at the end of the stream, or after a minute without one.
    func next() -> Event? {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < Self.patience {
            if let end = text.range(of: "\n\n") {
                let fields = text[..<end.lowerBound].split(separator: "\n")
                text = String(text[end.upperBound...])
                func field(_ name: String) -> String? {
                    fields.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
                }
                guard let id = field("id"), let name = field("event"), let data = field("data") else { continue }
                let object = try? JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
                return Event(id: id, name: name, data: object ?? [:])
            }
            guard receive() else { return nil }
        }
        return nil
    }

    /// Reads more of the stream. Returns `false` at its end.
    private func receive() -> Bool {
        guard let more = connection.read() else { return false }
        // Chunks end with CR LF, which is one character in Swift.
        text += String(decoding: more.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        return true
    }

    /// Waits for an event of this name.
    func next(_ name: String) throws -> Event {
        while let event = next() { if event.name == name { return event } }
        throw CocoaError(.fileReadUnknown)
    }
}
#endif
