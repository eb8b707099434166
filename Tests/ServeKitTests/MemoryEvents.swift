// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Testing

/// A client of server-sent events in memory.
final class MemoryEvents {
    /// An event with its fields.
    struct Event {
        /// Empty for an event that is not kept.
        let id: String
        let name: String
        let data: [String: Any]
    }

    let connection: MemoryConnection
    /// The part of the stream that was not returned yet.
    private(set) var text = ""

    /// Waits for the first message: events that follow from a later request are then in the stream.
    init(
        _ service: MemoryService, _ query: String = "", from client: String = "127.0.0.1", _ headers: String...
    )
        async throws
    {
        connection = try await service.connect(from: client)
        let lines = ["GET /api/v1/events\(query) HTTP/1.1", "Host: localhost:8080"] + headers
        await connection.write(lines.joined(separator: "\r\n") + "\r\n\r\n")
        while !text.contains("id: "), !text.contains(": continues"), await receive() {}
    }

    /// Waits for the next event; `nil` at the end of the stream.
    func next() async -> Event? {
        while true {
            if let end = text.range(of: "\n\n") {
                let fields = text[..<end.lowerBound].split(separator: "\n")
                text = String(text[end.upperBound...])
                func field(_ name: String) -> String? {
                    fields.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
                }
                guard let name = field("event"), let data = field("data") else { continue }
                let object = try? JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
                return Event(id: field("id") ?? "", name: name, data: object ?? [:])
            }
            guard await receive() else { return nil }
        }
    }

    /// Waits for an event of this name.
    func next(_ name: String) async throws -> Event {
        while let event = await next() { if event.name == name { return event } }
        throw CocoaError(.fileReadUnknown)
    }

    /// Reads more of the stream. Returns `false` at its end.
    private func receive() async -> Bool {
        guard let more = await connection.read() else { return false }
        // Chunks end with CR LF, which is one character in Swift.
        text += String(decoding: more.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        return true
    }
}
#endif
