// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import ServiceKit

/// A socket that listens already when the program starts: systemd passes it, as sd_listen_fds(3) defines.
package struct ActivatedSocket: Sendable {
    /// The descriptor, which the server closes.
    let descriptor: Int32
    package let address: ListenAddress

    private static let firstDescriptor: Int32 = 3
    /// More sockets than this are a mistake.
    private static let mostSockets: Int32 = 64

    /// Takes the sockets that the environment announces, and removes the announcement: programs that this one starts
    /// must not take them. Call it once, before other threads run.
    ///
    /// - Returns: No socket if they are for another process.
    /// - Throws: `CaptureError` `.configuration` if a descriptor is no stream socket that listens.
    package static func take() throws(CaptureError) -> [ActivatedSocket] {
        let (process, count) = (variable("LISTEN_PID"), variable("LISTEN_FDS"))
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        guard let count, process == String(getpid()) else { return [] }
        guard let number = Int32(count), (0...mostSockets).contains(number) else {
            throw CaptureError(
                .configuration, "\(count.quoted) is not a number of sockets", subject: "LISTEN_FDS",
                advice: "let systemd set it, with a socket unit")
        }
        return try (0..<number).map { index throws(CaptureError) in try ActivatedSocket(firstDescriptor + index) }
    }

    init(_ descriptor: Int32) throws(CaptureError) {
        var (kind, listens) = (Int32(0), Int32(0))
        guard Self.option(SO_TYPE, of: descriptor, &kind), Self.option(SO_ACCEPTCONN, of: descriptor, &listens),
            kind == Int32(SOCK_STREAM.rawValue), listens == 1
        else {
            throw Self.error(descriptor, "is not a stream socket that listens", "use ListenStream= in the socket unit")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.descriptor = descriptor
        address = try Self.address(of: descriptor)
    }

    private static func address(of descriptor: Int32) throws(CaptureError) -> ListenAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard code == 0, let address = withUnsafeBytes(of: storage, { address(in: $0, length: Int(length)) }) else {
            throw error(descriptor, "has no address", "use ListenStream= in the socket unit")
        }
        return address
    }

    private static func address(in bytes: UnsafeRawBufferPointer, length: Int) -> ListenAddress? {
        switch Int32(bytes.loadUnaligned(as: sa_family_t.self)) {
        case AF_UNIX:
            let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
            let path = bytes[min(start, length)..<length].prefix { $0 != 0 }
            return .unix(path: String(decoding: path, as: UTF8.self))
        case AF_INET:
            var address = bytes.loadUnaligned(as: sockaddr_in.self)
            return port(AF_INET, &address.sin_addr, address.sin_port)
        case AF_INET6:
            var address = bytes.loadUnaligned(as: sockaddr_in6.self)
            return port(AF_INET6, &address.sin6_addr, address.sin6_port)
        default: return nil
        }
    }

    /// Returns the address as text (`inet_ntop`).
    private static func port(_ family: Int32, _ address: UnsafeRawPointer, _ port: in_port_t) -> ListenAddress? {
        let host = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            inet_ntop(family, address, buffer.baseAddress, socklen_t(buffer.count)).map { String(cString: $0) }
        }
        return host.map { .port(host: $0, port: Int(UInt16(bigEndian: port))) }
    }

    private static func option(_ name: Int32, of descriptor: Int32, _ value: inout Int32) -> Bool {
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private static func error(_ descriptor: Int32, _ message: String, _ advice: String) -> CaptureError {
        CaptureError(.configuration, message, subject: "socket \(descriptor) of LISTEN_FDS", advice: advice)
    }
}
#endif
