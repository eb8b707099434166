// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Glibc
import Synchronization

/// A network camera on a free port of this machine: it answers each request with bytes, and closes the connection.
package final class HTTPCamera: Sendable {
    /// The answer to a request.
    package enum Answer: Sendable {
        /// An answer with this status, media type and content.
        case content(status: Int, media: String, [UInt8])
        /// Motion JPEG of this picture, so many times.
        case stream(picture: [UInt8], count: Int)
        /// The same without the boundary before the first picture, as some cameras send it.
        case streamWithoutFirstBoundary(picture: [UInt8], count: Int)
        /// These bytes and nothing else.
        case raw([UInt8])
    }

    private let listener: Int32
    private let answer: @Sendable (_ request: String, _ number: Int) -> Answer
    private let seen = Mutex<[String]>([])

    package let port: Int

    /// Starts the camera.
    ///
    /// - Parameter answer: Returns the answer to a request, which it gets with its header, and with its number from 1.
    package init?(_ answer: @escaping @Sendable (_ request: String, _ number: Int) -> Answer) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard listener >= 0, isBound else { return nil }
        (self.listener, self.answer, port) = (listener, answer, Int(UInt16(bigEndian: address.sin_port)))
        DispatchQueue(label: "gst-capture.test-camera").async { [self] in serve() }
    }

    /// The address of a path.
    package func address(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// The headers of the requests so far.
    package var requests: [String] { seen.withLock { $0 } }

    /// Stops the camera: it refuses connections.
    package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            DispatchQueue.global().async { [self] in
                handle(connection)
                close(connection)
            }
        }
        close(listener)
    }

    private func handle(_ connection: Int32) {
        var request: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while !String(decoding: request, as: UTF8.self).contains("\r\n\r\n") {
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return }
            request += piece.prefix(count)
        }
        let header = String(decoding: request, as: UTF8.self)
        let number = seen.withLock { seen in
            seen.append(header)
            return seen.count
        }
        send(answer(header, number), to: connection)
    }

    private func send(_ answer: Answer, to connection: Int32) {
        switch answer {
        case .content(let status, let media, let bytes):
            let head = "HTTP/1.1 \(status) X\r\nContent-Type: \(media)\r\nContent-Length: \(bytes.count)\r\n"
            _ = put(Array((head + "Connection: close\r\n\r\n").utf8) + bytes, connection)
        case .stream(let picture, let count): stream(picture, count, "--frame\r\n", connection)
        case .streamWithoutFirstBoundary(let picture, let count): stream(picture, count, "", connection)
        case .raw(let bytes): _ = put(bytes, connection)
        }
    }

    private func stream(_ picture: [UInt8], _ count: Int, _ first: String, _ connection: Int32) {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace;boundary=frame\r\n\r\n\(first)"
        guard put(Array(head.utf8), connection) else { return }
        let part = "Content-Type: image/jpeg\r\nContent-Length: \(picture.count)\r\n\r\n"
        for _ in 0..<count {
            guard put(Array(part.utf8) + picture + Array("\r\n--frame\r\n".utf8), connection) else { return }
            usleep(30_000)
        }
    }

    private func put(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
