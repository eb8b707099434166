// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Dispatch
import Glibc
import Synchronization

/// A Unix socket at which programs send requests. Its mode is 0660: the user and the group may use it.
final class RequestSocket: Sendable {
    /// The requests of all programs.
    let lines: AsyncStream<RequestLine>

    private let path: String
    private let descriptor: Int32
    private let claim: SocketClaim
    private let inlet: AsyncStream<RequestLine>.Continuation
    private let clients = Mutex<[ObjectIdentifier: RequestClient]>([:])

    /// The socket that gets the events of this process; `nil` without one.
    private static let current = Mutex<RequestSocket?>(nil)
    /// The maximum number of programs at the same time.
    private static let mostClients = 16

    /// Listens at a path, and gives the events of this process to all programs there. Blocks.
    ///
    /// - Throws: `CaptureError` `.temporary` if another process listens there, and the errors of the system.
    init(path: String) throws(CaptureError) {
        claim = try SocketClaim(path, option: "--control")
        self.path = path
        (lines, inlet) = AsyncStream.makeStream()
        // An earlier process has left it.
        unlink(path)
        descriptor = try Self.listen(at: path)
        Self.current.withLock { $0 = self }
        // Waiting for programs blocks, so it has a separate thread.
        DispatchQueue(label: "gst-capture.control").async { [self] in accept() }
    }

    /// Sends a line to all programs at the socket of this process.
    static func broadcast(_ line: String) {
        guard let socket = current.withLock({ $0 }) else { return }
        for client in socket.clients.withLock({ Array($0.values) }) { client.send(line) }
    }

    /// Sends the last lines, and removes the socket. It blocks for two seconds at most.
    func close() {
        Self.current.withLock { $0 = nil }
        unlink(path)
        let end = DispatchTime.now() + 2
        for client in clients.withLock({ Array($0.values) }) { client.finish(until: end) }
        inlet.finish()
    }

    private static func listen(at path: String) throws(CaptureError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path), !path.utf8.contains(0) else {
            throw CaptureError(
                .usage, "is longer than the path of a socket can be", subject: "unix:" + path,
                advice: "give one of up to 107 bytes")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .file(errno, path, "cannot be created") }
        let mask = umask(0o117)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        let number = errno
        umask(mask)
        guard isBound, Glibc.listen(descriptor, 16) == 0 else {
            Glibc.close(descriptor)
            throw .file(isBound ? errno : number, path, "cannot be created")
        }
        return descriptor
    }

    private func accept() {
        while true {
            let connection = Glibc.accept(descriptor, nil, nil)
            guard connection >= 0 else {
                if [EINTR, ECONNABORTED].contains(errno) { continue }
                return
            }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            let client = RequestClient(connection)
            let isAdmitted = clients.withLock { clients in
                guard clients.count < Self.mostClients else { return false }
                clients[ObjectIdentifier(client)] = client
                return true
            }
            // A client that is not admitted is closed with its last reference.
            guard isAdmitted else { continue }
            DispatchQueue(label: "gst-capture.control.reader").async { [self] in
                client.read { inlet.yield($0) }
                _ = clients.withLock { $0.removeValue(forKey: ObjectIdentifier(client)) }
            }
        }
    }
}

/// A program at a ``RequestSocket``. It closes the connection with its last reference.
final class RequestClient: Sendable {
    private let descriptor: Int32
    private let writer = DispatchQueue(label: "gst-capture.control.writer")
    private let pendingBytes = Mutex(0)
    /// The further requests that may wait for their answers.
    private let room = DispatchSemaphore(value: 64)

    /// The maximum size of the lines that wait for the program. A program that reads more slowly is disconnected.
    private static let mostPendingBytes = 4 << 20

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Sends a line after all earlier ones. Returns at once.
    func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        let isAdmitted = pendingBytes.withLock { pending in
            guard pending + bytes.count <= Self.mostPendingBytes else { return false }
            pending += bytes.count
            return true
        }
        guard isAdmitted else {
            shutdown(descriptor, Int32(SHUT_RDWR))
            return
        }
        writer.async { [self] in
            write(bytes)
            pendingBytes.withLock { $0 -= bytes.count }
        }
    }

    /// Reads lines until the end of the connection. It blocks.
    func read(_ yield: (RequestLine) -> Void) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var splitter = LineSplitter(most: RequestLines.mostBytes)
        while true {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count < 0, errno == EINTR { continue }
            let lines = count > 0 ? splitter.add(bytes.prefix(count)) : splitter.finish()
            for line in lines {
                room.wait()
                yield(RequestLine(line, from: self, room))
            }
            guard count > 0 else { return }
        }
    }

    /// Waits until all lines are sent, then ends the connection.
    func finish(until end: DispatchTime) {
        let sent = DispatchGroup()
        writer.async(group: sent) {}
        _ = sent.wait(timeout: end)
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
