// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Testing

/// A client of live pictures in memory.
final class MemoryLive {
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
    private let body: MemoryBody

    private static let headEnd = Data("\r\n\r\n".utf8)

    init(_ service: MemoryService, _ path: String) async throws {
        body = try await MemoryBody(service, path)
        head = body.head
        try await take(exactly: "--boundarydonotcross\r\n")
    }

    /// Waits for the next part, which must be followed by the boundary.
    func next() async throws -> Part {
        let head = String(decoding: try await body.take(through: Self.headEnd).dropLast(4), as: UTF8.self)
        let length = head.components(separatedBy: "Content-Length: ").last?.prefix { $0.isNumber }
        let count = try #require(length.flatMap { Int($0) })
        let picture = try await body.take(count)
        try await take(exactly: "\r\n--boundarydonotcross\r\n")
        return Part(head: head, body: picture)
    }

    private func take(exactly text: String) async throws {
        try #require(try await body.take(text.utf8.count) == Data(text.utf8))
    }
}

/// The body of a response that does not end, as it comes.
final class MemoryBody {
    let head: String
    private let connection: MemoryConnection
    /// Bytes of the transfer, and those of the body.
    private var chunks = Data(), bytes = Data()

    private static let lineEnd = Data("\r\n".utf8), headEnd = Data("\r\n\r\n".utf8)

    init(_ service: MemoryService, _ path: String) async throws {
        connection = try await service.connect()
        await connection.write("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        var data = Data()
        while data.range(of: Self.headEnd) == nil { data += try #require(await connection.read()) }
        let end = try #require(data.range(of: Self.headEnd))
        head = String(decoding: data[..<end.lowerBound], as: UTF8.self)
        chunks = Data(data[end.upperBound...])
    }

    /// Waits for a number of bytes, and takes them.
    func take(_ count: Int) async throws -> Data {
        while bytes.count < count { try await readChunk() }
        defer { bytes = Data(bytes.dropFirst(count)) }
        return Data(bytes.prefix(count))
    }

    /// Waits for bytes, and takes all up to them, with them.
    func take(through end: Data) async throws -> Data {
        while true {
            if let range = bytes.range(of: end) { return try await take(range.upperBound) }
            try await readChunk()
        }
    }

    /// Moves a chunk of the transfer to the body.
    private func readChunk() async throws {
        while true {
            if let line = chunks.range(of: Self.lineEnd) {
                let size = String(decoding: chunks[..<line.lowerBound], as: UTF8.self)
                let count = try #require(Int(size, radix: 16))
                try #require(count > 0)
                if chunks.endIndex - line.upperBound >= count + 2 {
                    bytes += chunks[line.upperBound...].prefix(count)
                    chunks = Data(chunks[line.upperBound...].dropFirst(count + 2))
                    return
                }
            }
            chunks += try #require(await connection.read())
        }
    }
}
#endif
