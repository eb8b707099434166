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
    private let connection: MemoryConnection
    /// Bytes of the transfer, and those of the stream.
    private var chunks = Data(), stream = Data()

    private static let lineEnd = Data("\r\n".utf8), headEnd = Data("\r\n\r\n".utf8)

    init(_ service: MemoryService, _ path: String) async throws {
        connection = try await service.connect()
        await connection.write("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        var data = Data()
        while data.range(of: Self.headEnd) == nil { data += try #require(await connection.read()) }
        let end = try #require(data.range(of: Self.headEnd))
        head = String(decoding: data[..<end.lowerBound], as: UTF8.self)
        chunks = Data(data[end.upperBound...])
        try await take(exactly: "--boundarydonotcross\r\n")
    }

    /// Waits for the next part, which must be followed by the boundary.
    func next() async throws -> Part {
        while stream.range(of: Self.headEnd) == nil { try await readChunk() }
        let end = try #require(stream.range(of: Self.headEnd))
        let head = String(decoding: stream[..<end.lowerBound], as: UTF8.self)
        stream = Data(stream[end.upperBound...])
        let length = head.components(separatedBy: "Content-Length: ").last?.prefix { $0.isNumber }
        let count = try #require(length.flatMap { Int($0) })
        while stream.count < count { try await readChunk() }
        let body = Data(stream.prefix(count))
        stream = Data(stream.dropFirst(count))
        try await take(exactly: "\r\n--boundarydonotcross\r\n")
        return Part(head: head, body: body)
    }

    private func take(exactly text: String) async throws {
        while stream.count < text.utf8.count { try await readChunk() }
        try #require(stream.prefix(text.utf8.count) == Data(text.utf8))
        stream = Data(stream.dropFirst(text.utf8.count))
    }

    /// Moves a chunk of the transfer to the stream.
    private func readChunk() async throws {
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
            chunks += try #require(await connection.read())
        }
    }
}
#endif
