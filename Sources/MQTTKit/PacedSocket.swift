// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CMosquitto
import Glibc

/// Stands between libmosquitto and its socket, and passes on a limited number of bytes at a time.
///
/// libmosquitto reads a packet until the socket has no more bytes, and has no limit for the size of a packet: a broker
/// that sends fast enough could fill 256 MB of memory within one call. It belongs to the thread of the connection.
final class PacedSocket {
    /// The socket of the network, and the end of a pair of which libmosquitto has the other one.
    private let network, near: Int32
    /// Bytes of libmosquitto that the network did not accept yet.
    private var outgoing: ArraySlice<UInt8> = []
    private var isAtEnd = false
    /// The error that ended the connection; `nil` for none, and for an end by the other side.
    private(set) var failure: Int32?

    /// The maximum number of bytes that are passed on at a time. A pair has room for more.
    private static let mostBytes = 16 << 10

    /// Takes the place of a connected socket: its descriptor becomes one end of the pair.
    ///
    /// - Returns: `nil` if there are no more descriptors; `errno` has the reason.
    init?(replacing descriptor: Int32) {
        let network = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard network >= 0 else { return nil }
        var pair: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        guard socketpair(AF_UNIX, Int32(bitPattern: kind), 0, &pair) == 0 else {
            close(network)
            return nil
        }
        let isReplaced = cmosquitto_replace(pair[0], descriptor) >= 0
        close(pair[0])
        guard isReplaced else {
            close(network)
            close(pair[1])
            return nil
        }
        (self.network, near) = (network, pair[1])
    }

    deinit {
        close(network)
        close(near)
    }

    /// The sockets to wait for, with their events.
    ///
    /// - Parameter canReceive: `false` while libmosquitto has not read all bytes.
    func entries(canReceive: Bool) -> [pollfd] {
        var events = outgoing.isEmpty ? 0 : Int16(POLLOUT)
        if canReceive, !isAtEnd { events |= Int16(POLLIN) }
        return [
            // A socket at its end is always ready.
            pollfd(fd: events == 0 ? -1 : network, events: events, revents: 0),
            pollfd(fd: outgoing.isEmpty && !isAtEnd ? near : -1, events: Int16(POLLIN), revents: 0),
        ]
    }

    /// Passes on bytes of the network, or its end. Returns their number.
    func receive() -> Int {
        guard !isAtEnd else { return 0 }
        return withUnsafeTemporaryAllocation(byteCount: Self.mostBytes, alignment: 1) { buffer in
            let count = recv(network, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR { return 0 }
            guard count > 0 else {
                end(count < 0 ? errno : nil)
                return 0
            }
            // It has room, because libmosquitto has read all earlier bytes.
            guard Glibc.send(near, buffer.baseAddress, count, Int32(MSG_NOSIGNAL)) == count else {
                end(EIO)
                return 0
            }
            return count
        }
    }

    /// Sends the bytes of libmosquitto, as many as the network accepts.
    func send() {
        while true {
            if outgoing.isEmpty { fetch() }
            guard !outgoing.isEmpty else { return }
            let count = outgoing.withUnsafeBytes { buffer in
                Glibc.send(network, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            guard count > 0 else {
                if errno != EAGAIN, errno != EINTR {
                    outgoing = []
                    end(errno)
                }
                return
            }
            outgoing = outgoing.dropFirst(count)
        }
    }

    /// `true` if the network accepts no more bytes now.
    var isFull: Bool { !outgoing.isEmpty }

    /// `true` if all bytes that libmosquitto has written were sent.
    var hasSent: Bool {
        var waiting: Int32 = 0
        _ = ioctl(near, UInt(FIONREAD), &waiting)
        return outgoing.isEmpty && waiting == 0
    }

    private func fetch() {
        guard !isAtEnd else { return }
        outgoing =
            [UInt8](unsafeUninitializedCapacity: 4 * Self.mostBytes) { buffer, count in
                count = max(0, recv(near, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)))
            }[...]
    }

    /// libmosquitto reads the end of the connection after the bytes before it.
    private func end(_ error: Int32?) {
        guard !isAtEnd else { return }
        (isAtEnd, failure) = (true, error)
        shutdown(near, Int32(SHUT_RDWR))
    }
}
#endif
