// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Messages over a connected socket: eight bytes that say what they are and how many follow, then those.
///
/// Calls block: they are for a thread that may. The descriptor stays its owner's.
package struct RasterChannel: Sendable {
    /// Why a message did not come or go.
    package enum Failure: Error {
        /// The other end is gone.
        case closed
        /// The deadline has passed.
        case late
        /// What came is no message of this version.
        case foreign
    }

    private let socket: Int32

    /// The exit status of a process that cannot confine itself (`EX_OSERR`).
    package static let unconfinedStatus: Int32 = 71

    /// Takes a connected stream socket.
    package init(socket: Int32) { self.socket = socket }

    /// True where the other end is gone, or has sent what nobody asked for.
    package var isStale: Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) != 0
    }

    /// Sends a message.
    package func send(_ message: [UInt8], by deadline: ContinuousClock.Instant? = nil) throws(Failure) {
        guard message.count <= Self.largest else { throw .foreign }
        var header = WireWriter()
        header.put(Self.mark)
        header.put(UInt32(message.count))
        try sendAll(header.bytes, by: deadline)
        try sendAll(message, by: deadline)
    }

    /// Waits for a message.
    ///
    /// - Throws: ``Failure``; `closed` also where the other end closed between two messages.
    package func receive(by deadline: ContinuousClock.Instant? = nil) throws(Failure) -> [UInt8] {
        var header = WireReader(try receive(8, by: deadline))
        guard (try? header.integer(UInt32.self)) == Self.mark, let count = try? header.integer(UInt32.self),
            count <= Self.largest
        else { throw .foreign }
        return try receive(Int(count), by: deadline)
    }

    private func sendAll(_ bytes: [UInt8], by deadline: ContinuousClock.Instant?) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            try wait(for: POLLOUT, by: deadline)
            let count = bytes.withUnsafeBytes { bytes in
                Glibc.send(socket, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Self.flags)
            }
            sent += try Self.progress(count)
        }
    }

    // Grows as the bytes come: a count alone makes no room.
    private func receive(_ count: Int, by deadline: ContinuousClock.Instant?) throws(Failure) -> [UInt8] {
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

    private func wait(for events: Int32, by deadline: ContinuousClock.Instant?) throws(Failure) {
        while true {
            var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
            switch poll(&entry, 1, try Self.milliseconds(until: deadline)) {
            case 1...: return
            case 0: continue
            default: if errno != EINTR { throw .closed }
            }
        }
    }

    /// How many bytes went; none where it is only not yet time.
    private static func progress(_ count: Int) throws(Failure) -> Int {
        guard count < 0 else { return count }
        guard [EINTR, EAGAIN].contains(errno) else { throw .closed }
        return 0
    }

    private static func milliseconds(until deadline: ContinuousClock.Instant?) throws(Failure) -> Int32 {
        guard let deadline else { return -1 }
        let left = deadline - .now
        guard left > .zero else { throw .late }
        // At most a second at once, as the number of milliseconds may be none that fits.
        return Int32((min(left, .seconds(1)) / .milliseconds(1)).rounded(.up))
    }

    private static let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
    private static let piece = 1 << 20
    // The last letter is the version.
    private static let mark = UInt32(0x4743_5231)
    // Every pixel of a frame of 16384 on a side, and what is said about it.
    private static let largest = UInt32(1 << 30 + 1 << 10)
}
