// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Synchronization

/// The socket of a service manager, and the messages of a service.
package final class NotifySocket: Sendable {
    /// The value for `NOTIFY_SOCKET`.
    package let name: String
    /// The lines as they arrive, for one reader.
    package let lines: AsyncStream<String>

    private let descriptor: Int32
    private let record = Record()

    /// Listens on a path, or on an abstract name if it begins with `@`.
    package init(_ name: String) throws {
        self.name = name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let descriptor = descriptor
        let code = Self.withAddress(name) { bind(descriptor, $0, $1) }
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        Thread.detachNewThread { [record] in
            while let message = Self.receive(descriptor) {
                record.lines.withLock { $0 += message }
                for line in message { continuation.yield(line) }
            }
            continuation.finish()
            close(descriptor)
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// All lines so far.
    package var received: [String] { record.lines.withLock { $0 } }

    /// Waits for a line with this beginning; returns it.
    package func line(_ beginning: String) async -> String? { await lines.first { $0.hasPrefix(beginning) } }

    /// Calls a function with the address of a socket's name.
    package static func withAddress<Result>(
        _ name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if name.hasPrefix("@") { bytes[0] = 0 } else { bytes.append(0) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    private static func receive(_ descriptor: Int32) -> [String]? {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    // The thread retains it while it reads, and does not keep the socket open.
    private final class Record: Sendable {
        let lines = Mutex<[String]>([])
    }
}
