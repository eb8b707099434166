// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// A TCP connection for one question. Calls block up to their time limits.
final class ProbeSocket {
    /// The reason why there is no connection.
    struct Failure: Error {
        let answer: NetworkProbe.Answer
    }

    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects to the first address of a host that accepts.
    static func connect(to address: NetworkAddress, _ limit: Duration) -> Result<ProbeSocket, Failure> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, String(address.port), &hints, &list) == 0, let list else {
            return .failure(Failure(answer: .unknownHost))
        }
        defer { freeaddrinfo(list) }
        var failure = ETIMEDOUT
        for entry in sequence(first: list, next: { $0.pointee.ai_next }).prefix(4) {
            let descriptor = socket(
                entry.pointee.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0
            )
            guard descriptor >= 0 else {
                failure = errno
                continue
            }
            let connection = ProbeSocket(descriptor)
            failure = connection.connect(entry.pointee, limit)
            if failure == 0 { return .success(connection) }
        }
        return .failure(Failure(answer: .notConnected(failure)))
    }

    /// Returns 0, or the error number.
    private func connect(_ address: addrinfo, _ limit: Duration) -> Int32 {
        if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return 0 }
        guard errno == EINPROGRESS else { return errno }
        guard waits(for: POLLOUT, until: .now + limit) else { return ETIMEDOUT }
        var (code, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        return code
    }

    /// Sends a request, and returns the header of the answer; `nil` if there is none in time.
    func answer(to request: String, _ limit: Duration) -> String? {
        let end = SuspendingClock.now + limit
        let bytes = Array(request.utf8)
        // A request is smaller than the socket's buffer.
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return nil }
        var header: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 2048)
        while header.count < 8192, !Self.isComplete(header), waits(for: POLLIN, until: end) {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { break }
            header += piece.prefix(count)
        }
        return header.isEmpty ? nil : String(decoding: header, as: UTF8.self)
    }

    private static func isComplete(_ header: [UInt8]) -> Bool {
        let text = String(decoding: header, as: UTF8.self)
        return text.contains("\r\n\r\n") || text.contains("\n\n")
    }

    private func waits(for events: Int32, until end: SuspendingClock.Instant) -> Bool {
        while true {
            let left = (end - .now) / .milliseconds(1)
            guard left > 0 else { return false }
            var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let count = poll(&entry, 1, Int32(left.rounded(.up)))
            if count > 0 { return true }
            if count == 0 || errno != EINTR { return false }
        }
    }
}
