// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

@Suite("Live pictures over HTTP", .ownThread, .serialized, .timeLimit(.minutes(5)))
struct LiveTests {
    private static let cameras = "  garden: { camera: scene, width: 320, height: 240, framerate: 30 }\n"

    @Test("A viewer that never reads delays no other viewer, and holds no pictures")
    func stuck() throws {
        let program = try ServedProgram(Self.cameras)
        let stuck = try Connection(program.port)
        stuck.write("GET /stream?quality=100 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        let clients = try (0..<10).map { _ in try LiveClient(program, "/stream?quality=100") }
        for _ in 0..<30 { for client in clients { #expect(try client.next().isJPEG) } }
        let before = try program.descriptors
        for _ in 0..<100 { #expect(try clients[0].next().isJPEG) }
        // The service may have disconnected the viewer meanwhile.
        #expect(try program.descriptors <= before)
        withExtendedLifetime(stuck) {}
    }

    @Test("Viewers that come and go 200 times leave no descriptors behind")
    func comeAndGo() throws {
        let program = try ServedProgram(Self.cameras)
        let kept = try LiveClient(program, "/stream?fps=30")
        #expect(try kept.next().isJPEG)
        let first = try LiveClient(program, "/stream?fps=30&width=64")
        #expect(try first.next().isJPEG)
        let before = try program.descriptors
        for index in 0..<200 {
            let client = try LiveClient(program, "/stream?fps=30&width=64")
            if index % 10 == 0 { #expect(try client.next().isJPEG) }
            // A viewer that reads nothing for long is disconnected.
            #expect(try kept.next().isJPEG)
            // The service notices at a later picture that a viewer has left, and has places for 32.
            while try program.viewers > 16 { #expect(try kept.next().isJPEG) }
        }
        // The places of viewers that left are free: the limit is below 200. Closing takes a moment, and a few threads
        // open their descriptors with the first viewers.
        var count = try program.descriptors
        for _ in 0..<300 where count > before + 10 {
            #expect(try kept.next().isJPEG)
            count = try program.descriptors
        }
        #expect(count <= before + 10)
    }

    @Test("The service ends while viewers watch")
    func stop() async throws {
        let program = try ServedProgram(Self.cameras)
        let client = try LiveClient(program, "/stream")
        #expect(try client.next().isJPEG)
        program.terminate()
        client.drain()
        #expect(await program.status() == 0)
    }
}

/// A client of live pictures.
private final class LiveClient {
    struct Part {
        let head: String
        let body: Data

        var timestamp: Double? { value("X-Timestamp").flatMap(Double.init) }
        var isJPEG: Bool {
            value("Content-Length") == "\(body.count)" && value("Content-Type") == "image/jpeg"
                && body.prefix(2) == Data([0xFF, 0xD8]) && body.suffix(2) == Data([0xFF, 0xD9])
        }

        private func value(_ name: String) -> String? {
            head.components(separatedBy: "\r\n").first { $0.hasPrefix(name + ": ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
    }

    let head: String
    private let connection: Connection
    /// Bytes of the transfer, and those of the stream.
    private var chunks = Data(), stream = Data()

    private static let lineEnd = Data("\r\n".utf8), headEnd = Data("\r\n\r\n".utf8)

    init(_ program: ServedProgram, _ path: String) throws {
        connection = try Connection(program.port)
        connection.write("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(program.port)\r\n\r\n")
        var data = Data()
        while data.range(of: Self.headEnd) == nil { data += try #require(connection.read()) }
        let end = try #require(data.range(of: Self.headEnd))
        head = String(decoding: data[..<end.lowerBound], as: UTF8.self)
        chunks = Data(data[end.upperBound...])
        try take(exactly: "--boundarydonotcross\r\n")
    }

    /// Waits for the next part, which must be followed by the boundary.
    func next() throws -> Part {
        while stream.range(of: Self.headEnd) == nil { try readChunk() }
        let end = try #require(stream.range(of: Self.headEnd))
        let head = String(decoding: stream[..<end.lowerBound], as: UTF8.self)
        stream = Data(stream[end.upperBound...])
        let length = head.components(separatedBy: "Content-Length: ").last?.prefix { $0.isNumber }
        let count = try #require(length.flatMap { Int($0) })
        while stream.count < count { try readChunk() }
        let body = Data(stream.prefix(count))
        stream = Data(stream.dropFirst(count))
        try take(exactly: "\r\n--boundarydonotcross\r\n")
        return Part(head: head, body: body)
    }

    /// Reads to the end of the connection.
    func drain() { while connection.read() != nil {} }

    private func take(exactly text: String) throws {
        while stream.count < text.utf8.count { try readChunk() }
        try #require(stream.prefix(text.utf8.count) == Data(text.utf8))
        stream = Data(stream.dropFirst(text.utf8.count))
    }

    /// Moves a chunk of the transfer to the stream.
    private func readChunk() throws {
        while true {
            if let line = chunks.range(of: Self.lineEnd) {
                let size = String(decoding: chunks[..<line.lowerBound], as: UTF8.self)
                let count = try #require(Int(size, radix: 16))
                try #require(count > 0)
                if chunks.endIndex - line.upperBound >= count + 2 {
                    stream += chunks[line.upperBound...].prefix(count)
                    chunks = Data(chunks[line.upperBound...].dropFirst(count + 2))
                    return
                }
            }
            chunks += try #require(connection.read())
        }
    }
}

extension ServedProgram {
    /// The number of viewers, from the metrics.
    fileprivate var viewers: Int {
        get throws {
            let line = try get("/metrics").text.split(separator: "\n").first {
                $0.hasPrefix("gst_capture_stream_viewers ")
            }
            return try #require(line.flatMap { Int($0.split(separator: " ")[1]) })
        }
    }

    /// The number of open descriptors of the process.
    fileprivate var descriptors: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/fd").count }
    }
}
#endif
