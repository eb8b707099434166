// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// The connection to the service manager that started the process, a datagram socket; sd_notify(3) guarantees that this
/// protocol stays.
///
/// The actor runs on a separate thread, because sending blocks while the manager is busy.
actor ServiceManager {
    private let executor = BlockingExecutor("gst-capture.service")
    private let address: [UInt8]
    private var socket: Int32 = -1

    /// The longest time that the manager accepts between two `WATCHDOG=1` messages; `nil` if the manager has no
    /// watchdog.
    nonisolated let watchdogTime: Duration?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Connects to the manager that the environment names; returns `nil` if it names none.
    ///
    /// - Parameter variable: Returns the value of an environment variable.
    init?(_ variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
        guard let name = variable("NOTIFY_SOCKET"), let address = Self.address(name) else { return nil }
        self.address = address
        watchdogTime = Self.watchdogTime(variable)
    }

    deinit { if socket >= 0 { close(socket) } }

    /// Sends messages in one datagram, in this order. Errors are ignored: the capture continues if the manager is gone.
    func send(_ messages: [ServiceMessage]) {
        if socket < 0 { socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }
        let text = messages.map(\.text).joined(separator: "\n")
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + address.count)
        withUnsafePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                while sendto(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL), name, length) < 0,
                    errno == EINTR
                {}
            }
        }
    }

    /// Returns the bytes of a path, or of an abstract address (`@name`); `nil` for other text, or if it is too long.
    private static func address(_ name: String) -> [UInt8]? {
        var bytes = Array(name.utf8)
        guard bytes.count > 1, bytes.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
        switch bytes[0] {
        case UInt8(ascii: "/"): return bytes + [0]
        case UInt8(ascii: "@"):
            bytes[0] = 0
            return bytes
        default: return nil
        }
    }

    /// Returns `nil` if the watchdog is for another process, such as the parent of this one.
    private static func watchdogTime(_ variable: (String) -> String?) -> Duration? {
        guard let text = variable("WATCHDOG_USEC"), let microseconds = Int64(text), microseconds > 0 else { return nil }
        if let process = variable("WATCHDOG_PID"), process != String(getpid()) { return nil }
        return .microseconds(microseconds)
    }
}
