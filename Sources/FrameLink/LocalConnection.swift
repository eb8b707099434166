// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import Synchronization

/// A connection to a Unix socket of this machine, with calls that block. Any thread may cancel it.
final class LocalConnection: Sendable {
    private let descriptor: Int32
    /// The path of the socket.
    let path: String

    /// Connects (`connect(2)`). It does not wait for a service whose queue of connections is full.
    ///
    /// - Throws: `CaptureError` `.noInput` if no process listens there, `.permission` if the user may not connect.
    init(_ path: String) throws(CaptureError) {
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw Self.error(errno, path) }
        (self.descriptor, self.path) = (descriptor, path)
        guard Self.connects(descriptor, path) else { throw Self.error(errno, path) }
        // The calls have time limits instead.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }

    /// Takes over a connected socket.
    init(descriptor: Int32) { (self.descriptor, path) = (descriptor, "socket") }

    deinit { close(descriptor) }

    /// Ends all calls, current and later ones (`shutdown(2)`).
    func cancel() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Sends all bytes.
    ///
    /// - Throws: `CaptureError` `.temporary` if the service does not take them within five seconds, or has closed the
    ///   connection.
    func send(_ bytes: [UInt8]) throws(CaptureError) {
        setLimit(SO_SNDTIMEO, seconds: 5)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                throw Self.error(errno, path)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Limits how long ``receive(into:)`` waits.
    func limitReceiving(to seconds: Int) { setLimit(SO_RCVTIMEO, seconds: seconds) }

    /// Receives at least one byte, and at most a full buffer; 0 at the end.
    ///
    /// - Throws: `CaptureError` `.temporary` after the time limit.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return count }
            if errno != EINTR { throw Self.error(errno, path) }
        }
    }

    private func setLimit(_ option: Int32, seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    private static func connects(_ descriptor: Int32, _ path: String) -> Bool {
        var address = sockaddr_un()
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            errno = ENAMETOOLONG
            return false
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    private static func error(_ code: Int32, _ path: String) -> CaptureError {
        let subject = "unix:" + path
        switch code {
        case ENOENT, ECONNREFUSED, ENOTDIR, ENAMETOOLONG:
            return CaptureError(.noInput, "no service listens there", subject: subject, systemError: code)
        case EACCES, EPERM:
            return CaptureError(
                .permission, CaptureError.systemMessage(code), subject: subject,
                advice: "ask for membership in the group of the socket", systemError: code)
        case EAGAIN:
            return CaptureError(.temporary, "the service does not respond", subject: subject, systemError: code)
        default:
            return CaptureError(.temporary, CaptureError.systemMessage(code), subject: subject, systemError: code)
        }
    }
}
