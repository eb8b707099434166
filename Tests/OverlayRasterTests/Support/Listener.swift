// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

/// A port of this machine that records whether a program connects.
struct Listener: ~Copyable {
    let port: UInt16
    private let socket: Int32

    init() throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (socket, length) = (socket, size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && listen(socket, 5) == 0 && getsockname(socket, $0, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        try #require(isListening)
    }

    deinit { close(socket) }

    /// `true` if a program has connected.
    var wasCalled: Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) != 0
    }
}
