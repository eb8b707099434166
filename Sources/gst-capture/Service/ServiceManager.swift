// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// The connection to the service manager that started us: one datagram a message, as sd_notify(3) documents it to stay.
///
/// On a thread of its own, since a manager that is busy keeps its senders waiting.
actor ServiceManager {
    private let executor = BlockingExecutor("gst-capture.service")
    private let address: [UInt8]
    private var socket: Int32 = -1

    /// How often the manager wants a sign of life at the least; `nil` where it does not ask.
    nonisolated let watchdogTime: Duration?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The manager that the environment names; `nil` where there is none.
    ///
    /// - Parameter variable: Reads a variable.
    init?(_ variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
        guard let name = variable("NOTIFY_SOCKET"), let address = Self.address(name) else { return nil }
        self.address = address
        watchdogTime = Self.watchdogTime(variable)
    }

    deinit { if socket >= 0 { close(socket) } }

    /// Sends messages, together and in this order. A manager that is gone is no reason to stop.
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

    /// The bytes of a path, or of a name that is in no folder and begins with `@`; `nil` for what is neither.
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

    /// `nil` where it is meant for another process, such as the one that started us.
    private static func watchdogTime(_ variable: (String) -> String?) -> Duration? {
        guard let text = variable("WATCHDOG_USEC"), let microseconds = Int64(text), microseconds > 0 else { return nil }
        if let process = variable("WATCHDOG_PID"), process != String(getpid()) { return nil }
        return .microseconds(microseconds)
    }
}
