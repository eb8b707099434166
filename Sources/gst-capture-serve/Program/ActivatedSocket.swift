// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc

/// A socket that listens already when the program starts: systemd passes it, as sd_listen_fds(3) defines.
struct ActivatedSocket: Sendable {
    /// The descriptor, which the server closes.
    let descriptor: Int32
    /// The address as a link, or as the path of a socket.
    let address: String

    private static let firstDescriptor: Int32 = 3
    /// More sockets than this are a mistake.
    private static let mostSockets: Int32 = 64

    /// Takes the sockets that the environment announces, and removes the announcement: programs that this one starts
    /// must not take them. Call it once, before other threads run.
    ///
    /// - Returns: No socket if they are for another process.
    /// - Throws: `CaptureError` `.configuration` if a descriptor is no stream socket that listens, or if other machines
    ///   can reach it.
    static func take() throws(CaptureError) -> [ActivatedSocket] {
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

    /// Returns the address, which must be one of this machine alone.
    private static func address(of descriptor: Int32) throws(CaptureError) -> String {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard code == 0 else { throw error(descriptor, "has no address", "use ListenStream= in the socket unit") }
        let address = withUnsafeBytes(of: storage) { Self.text(of: $0, length: Int(length)) }
        guard let address else {
            throw error(
                descriptor, "other machines can reach it",
                "use an address such as 127.0.0.1:8080, or the path of a socket")
        }
        return address
    }

    /// Returns the address in words; `nil` if other machines can reach it.
    private static func text(of address: UnsafeRawBufferPointer, length: Int) -> String? {
        switch Int32(address.loadUnaligned(as: sa_family_t.self)) {
        case AF_UNIX:
            let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
            let path = address[min(start, length)..<length].prefix { $0 != 0 }
            return "unix:" + String(decoding: path, as: UTF8.self)
        case AF_INET:
            let address = address.loadUnaligned(as: sockaddr_in.self)
            let host = UInt32(bigEndian: address.sin_addr.s_addr)
            guard host >> 24 == 127 else { return nil }
            let parts = [24, 16, 8, 0].map { String(host >> UInt32($0) & 255) }
            return "http://\(parts.joined(separator: ".")):\(UInt16(bigEndian: address.sin_port))"
        case AF_INET6:
            let address = address.loadUnaligned(as: sockaddr_in6.self)
            let isLoopback = withUnsafeBytes(of: address.sin6_addr) {
                $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1
            }
            return isLoopback ? "http://[::1]:\(UInt16(bigEndian: address.sin6_port))" : nil
        default: return nil
        }
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
