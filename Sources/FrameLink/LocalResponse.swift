// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A request to the service at a Unix socket (RFC 9112).
struct LocalRequest {
    var method = "GET"
    /// The path, which must need no escapes.
    let target: String
    /// The body of a request that has one.
    var body: JSONValue?

    /// The request as HTTP/1.1, after whose response the service closes the connection.
    var bytes: [UInt8] {
        let content = body.map { Array($0.text.utf8) } ?? []
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        if body != nil { head += "Content-Type: application/json\r\nContent-Length: \(content.count)\r\n" }
        return Array((head + "\r\n").utf8) + content
    }
}

/// The response of a service, read step by step. For one thread at a time; its calls block.
///
/// It reads what the service sends: a body in chunks, of a stated length, or until the end of the connection.
final class LocalResponse {
    /// The HTTP status: 200 for success.
    private(set) var status = 0

    private let connection: LocalConnection
    private var buffer: [UInt8]
    /// The bytes of `buffer` that were received and not read.
    private var unread = 0..<0
    /// The bytes of the body, or of its current chunk, that follow; `nil` for a body without an end.
    private var rest: Int?
    private var isChunked = false
    private var hasEnded = false

    /// The maximum size of the head, of a line of the body, and of a body that is read as a whole.
    private static let (mostHeadBytes, mostLineBytes, mostBytes) = (16 << 10, 64 << 10, 16 << 20)

    /// Sends a request, and reads the head of the response.
    ///
    /// - Throws: `CaptureError` `.inputOutput` if the response is not HTTP, and the errors of the connection.
    init(to request: LocalRequest, on connection: LocalConnection) throws(CaptureError) {
        self.connection = connection
        buffer = [UInt8](repeating: 0, count: 64 << 10)
        try connection.send(request.bytes)
        try readHead()
    }

    /// Reads the whole body.
    func body() throws(CaptureError) -> [UInt8] {
        var body: [UInt8] = []
        while let byte = try next() {
            guard body.count < Self.mostBytes else { throw damaged("is longer than \(Self.mostBytes >> 20) MiB") }
            body.append(byte)
        }
        return body
    }

    /// Reads a line of the body, without its end; `nil` at the end of the body.
    func line() throws(CaptureError) -> String? {
        var bytes: [UInt8] = []
        while let byte = try next() {
            guard byte != UInt8(ascii: "\n") else {
                guard let text = String(validating: bytes, as: UTF8.self) else { throw damaged("is not UTF-8") }
                return text
            }
            guard bytes.count < Self.mostLineBytes else { throw damaged("has a line that is too long") }
            bytes.append(byte)
        }
        guard bytes.isEmpty else { throw damaged("ends in a line") }
        return nil
    }

    /// Reads bytes of the body until the memory is full.
    ///
    /// - Throws: `CaptureError` `.inputOutput` if the body ends before.
    func read(into memory: UnsafeMutableRawBufferPointer) throws(CaptureError) {
        var filled = 0
        while filled < memory.count {
            let count = try read(some: UnsafeMutableRawBufferPointer(rebasing: memory[filled...]))
            guard count > 0 else { throw damaged("ends in a frame") }
            filled += count
        }
    }

    // MARK: Body

    /// Reads at least one byte of the body; returns 0 at its end.
    private func read(some memory: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int {
        guard try hasMore() else { return 0 }
        let wanted = UnsafeMutableRawBufferPointer(rebasing: memory[..<min(memory.count, rest ?? .max)])
        let count: Int
        if unread.isEmpty {
            // Large parts of the body need no copy.
            count = try connection.receive(into: wanted)
        } else {
            count = min(unread.count, wanted.count)
            buffer.withUnsafeBytes {
                wanted.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[unread.prefix(count)]))
            }
            unread = unread.dropFirst(count)
        }
        if count == 0 {
            guard rest == nil else { throw damaged("is cut off") }
            hasEnded = true
        }
        rest = rest.map { $0 - count }
        return count
    }

    private func next() throws(CaptureError) -> UInt8? {
        guard try hasMore() else { return nil }
        if unread.isEmpty {
            guard try fill() else {
                guard rest == nil else { throw damaged("is cut off") }
                hasEnded = true
                return nil
            }
        }
        rest = rest.map { $0 - 1 }
        return take()
    }

    /// Reads the line with the size of the next chunk when the current one is at its end. Returns `false` at the end of
    /// the body.
    private func hasMore() throws(CaptureError) -> Bool {
        guard !hasEnded, rest == 0 else { return !hasEnded }
        guard isChunked else {
            hasEnded = true
            return false
        }
        // The end of the previous chunk is an empty line.
        var line = try headLine()
        if line.isEmpty { line = try headLine() }
        let digits = line.prefix { $0 != ";" }
        guard (1...8).contains(digits.utf8.count), let size = Int(digits, radix: 16), size >= 0 else {
            throw damaged("has a chunk without a size")
        }
        (rest, hasEnded) = (size, size == 0)
        return !hasEnded
    }

    // MARK: Head

    private func readHead() throws(CaptureError) {
        let words = try headLine().split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3, let status = Int(words[1])
        else { throw damaged("is not HTTP") }
        self.status = status
        var count = 0
        while true {
            let line = try headLine()
            guard !line.isEmpty else { break }
            count += line.utf8.count
            guard count <= Self.mostHeadBytes else { throw damaged("has a head that is too long") }
            try readField(line)
        }
    }

    private func readField(_ line: String) throws(CaptureError) {
        guard let colon = line.firstIndex(of: ":") else { throw damaged("has a field without a name") }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        switch line[..<colon].lowercased() {
        case "transfer-encoding":
            guard value.lowercased() == "chunked" else { throw damaged("has an unknown encoding") }
            (isChunked, rest) = (true, 0)
        case "content-length" where !isChunked:
            guard (1...9).contains(value.utf8.count), value.utf8.allSatisfy(\.isDigit), let length = Int(value) else {
                throw damaged("has no valid length")
            }
            rest = length
        default: break
        }
    }

    /// Reads a line that is not a part of the body.
    private func headLine() throws(CaptureError) -> String {
        var bytes: [UInt8] = []
        while true {
            if unread.isEmpty {
                guard try fill() else { throw damaged("is cut off") }
            }
            let byte = take()
            guard byte != UInt8(ascii: "\n") else { break }
            guard bytes.count < Self.mostHeadBytes else { throw damaged("has a line that is too long") }
            bytes.append(byte)
        }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw damaged("is not UTF-8") }
        return text
    }

    // MARK: Buffer

    /// Receives more bytes; returns `false` at the end of the connection.
    private func fill() throws(CaptureError) -> Bool {
        let connection = connection
        let result = buffer.withUnsafeMutableBytes { memory in
            Result { () throws(CaptureError) in try connection.receive(into: memory) }
        }
        unread = 0..<(try result.get())
        return !unread.isEmpty
    }

    private func take() -> UInt8 {
        defer { unread = unread.dropFirst() }
        return buffer[unread.lowerBound]
    }

    func damaged(_ problem: String) -> CaptureError {
        CaptureError(
            .inputOutput, "the response \(problem)", subject: "unix:" + connection.path,
            advice: "check that the service there is gst-capture serve of the same version")
    }
}
