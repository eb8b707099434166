// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The connection to the service manager that started the process, a datagram socket; sd_notify(3) guarantees that this
/// protocol stays.
///
/// The actor runs on a separate thread, because sending waits while the manager is busy.
package actor ServiceManager {
    private let executor = BlockingExecutor("gst-capture.service")
    private let address: [UInt8]
    private var socket: Int32 = -1
    /// `true` if the last datagram was not sent. Then the next one is sent without waiting.
    private var isStalled = false
    /// The latest changes of state that were not sent; empty if there are none.
    private var unsent: [ServiceMessage] = []

    /// The longest time that the manager accepts between two `WATCHDOG=1` messages; `nil` if the manager has no
    /// watchdog.
    package nonisolated let watchdogTime: Duration?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Connects to the manager that the environment names; returns `nil` if it names none.
    ///
    /// - Parameter variable: Returns the value of an environment variable.
    package init?(_ variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
        guard let name = variable("NOTIFY_SOCKET"), let address = Self.address(name) else { return nil }
        self.address = address
        watchdogTime = Self.watchdogTime(variable)
    }

    deinit { if socket >= 0 { close(socket) } }

    /// Sends messages in one datagram, in this order. Errors are ignored: the capture continues if the manager is gone.
    ///
    /// If the manager does not read for a second, the datagram is dropped, and later ones are sent without waiting,
    /// until one succeeds. A change of state that was dropped is sent again with the next datagram, unless that has a
    /// newer one.
    package func send(_ messages: [ServiceMessage]) {
        let changes = messages.filter(\.isChangeOfState)
        let repeated = changes.isEmpty ? unsent : []
        isStalled = !transmit((repeated + messages).map(\.text).joined(separator: "\n"))
        unsent = isStalled ? changes + repeated : []
    }

    /// Sends a datagram (`sendto`). Returns `false` if that fails.
    private func transmit(_ text: String) -> Bool {
        if socket < 0 { socket = Self.makeSocket() }
        let flags = Int32(MSG_NOSIGNAL) | (isStalled ? Int32(MSG_DONTWAIT) : 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + address.count)
        return withUnsafePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                while sendto(socket, text, text.utf8.count, flags, name, length) < 0 {
                    if errno != EINTR { return false }
                }
                return true
            }
        }
    }

    private static func makeSocket() -> Int32 {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return socket
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
