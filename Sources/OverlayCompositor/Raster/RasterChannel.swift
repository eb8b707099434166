// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Messages over a connected socket: a header of eight bytes with a mark and the length, then the content.
///
/// Calls block: make them on a thread that may block. The caller keeps the descriptor.
package struct RasterChannel: Sendable {
    /// The reason why a message was not sent or received.
    package enum Failure: Error, Equatable {
        /// The other end is gone.
        case closed
        /// The deadline passed, because the request reached this limit.
        case late(RasterDeadline.Limit)
        /// The received bytes are not a message of this version, or a message to send is too long for it.
        case foreign
    }

    private let socket: Int32

    /// The exit status of a process that cannot confine itself (`EX_OSERR`).
    package static let unconfinedStatus: Int32 = 71

    /// Creates a channel over a connected stream socket.
    package init(socket: Int32) { self.socket = socket }

    /// `true` if the other end is gone, or has sent bytes without a request.
    package var isStale: Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) != 0
    }

    /// Sends a message.
    package func send(_ message: [UInt8], by deadline: RasterDeadline? = nil) throws(Failure) {
        guard message.count <= Self.largest else { throw .foreign }
        var header = WireWriter()
        header.put(Self.mark)
        header.put(UInt32(message.count))
        try sendAll(header.bytes, by: deadline)
        try sendAll(message, by: deadline)
    }

    /// Waits for a message.
    ///
    /// - Throws: ``Failure``; `closed` also if the other end closed the socket between two messages.
    package func receive(by deadline: RasterDeadline? = nil) throws(Failure) -> [UInt8] {
        var header = WireReader(try receive(8, by: deadline))
        guard (try? header.integer(UInt32.self)) == Self.mark, let count = try? header.integer(UInt32.self),
            count <= Self.largest
        else { throw .foreign }
        return try receive(Int(count), by: deadline)
    }

    private func sendAll(_ bytes: [UInt8], by deadline: RasterDeadline?) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            try wait(for: POLLOUT, by: deadline)
            let count = bytes.withUnsafeBytes { bytes in
                Glibc.send(socket, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Self.flags)
            }
            sent += try Self.progress(count)
        }
    }

    // The array grows as bytes arrive: a length alone allocates no memory.
    private func receive(_ count: Int, by deadline: RasterDeadline?) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            try wait(for: POLLIN, by: deadline)
            let piece = min(count - bytes.count, Self.piece)
            var failure: Failure?
            bytes += [UInt8](unsafeUninitializedCapacity: piece) { buffer, filled in
                do throws(Failure) {
                    let received = recv(socket, buffer.baseAddress, piece, Self.flags)
                    guard received != 0 else { throw .closed }
                    filled = try Self.progress(received)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
        }
        return bytes
    }

    private func wait(for events: Int32, by deadline: RasterDeadline?) throws(Failure) {
        while true {
            var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
            switch poll(&entry, 1, try Self.milliseconds(until: deadline)) {
            case 1...: return
            case 0: continue
            default: if errno != EINTR { throw .closed }
            }
        }
    }

    /// Returns the number of bytes transferred; 0 if the call would block or was interrupted.
    private static func progress(_ count: Int) throws(Failure) -> Int {
        guard count < 0 else { return count }
        guard [EINTR, EAGAIN].contains(errno) else { throw .closed }
        return 0
    }

    private static func milliseconds(until deadline: RasterDeadline?) throws(Failure) -> Int32 {
        guard let deadline else { return -1 }
        if let limit = deadline.reached { throw .late(limit) }
        // At least 10 ms: a blocked child uses no processor time, and a shorter timeout would poll without pause. At
        // most 1 s: several threads of the child together use processor time faster than the wall time passes.
        let timeout = min(max(deadline.left, .milliseconds(10)), .seconds(1))
        return Int32((timeout / .milliseconds(1)).rounded(.up))
    }

    private static let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
    private static let piece = 1 << 20
    // `GCR1`: the last character is the version.
    private static let mark = UInt32(0x4743_5231)
    // All pixels of a frame of 16384 x 16384, and the other fields of the answer.
    private static let largest = UInt32(1 << 30 + 1 << 10)
}
