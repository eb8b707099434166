// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import Synchronization

/// Standard output or standard error, written a whole line at a time and without a buffer of its own.
struct StandardStream: Sendable, Hashable {
    /// Paths and JSON: what programs read.
    static let output = StandardStream(descriptor: STDOUT_FILENO)
    /// Progress and errors: what people read.
    static let error = StandardStream(descriptor: STDERR_FILENO)

    /// The file descriptor.
    let descriptor: Int32

    /// True where something could not be written to standard output: what programs read is not complete.
    static var hasLostOutput: Bool { lostOutput.load(ordering: .relaxed) }
    private static let lostOutput = Atomic(false)

    /// Keeps the places of streams that are closed: the next file that is opened would become one of them.
    static func holdPlaces() {
        for place in STDIN_FILENO...STDERR_FILENO where fcntl(place, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
    }

    /// Writes text and a line end.
    @discardableResult
    func line(_ text: String) -> Bool { write(text + "\n") }

    /// Writes text as it is (`write(2)`); lines of up to 4096 bytes never mix with those of other programs.
    ///
    /// It waits for a reader that stalls, until ``waitNoLonger()``: not for Swift's own threads.
    ///
    /// - Returns: False where it could not be written, such as to a pipe that nobody reads any more.
    @discardableResult
    func write(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let start = rest.baseAddress, !rest.isEmpty {
                let isReady = waitUntilWritable()
                let written = isReady ? Glibc.write(descriptor, start, min(rest.count, Self.pieceSize)) : -1
                if written > 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest[written...])
                } else if !isReady || errno != EAGAIN && errno != EINTR {
                    if descriptor == STDOUT_FILENO { Self.noteLoss() }
                    return false
                }
            }
            return true
        }
    }

    /// Bytes that a pipe takes without blocking when poll() reports it as writable (`PIPE_BUF`).
    private static let pieceSize = 4096

    /// Remembers that something for standard output was not written.
    static func noteLoss() { lostOutput.store(true, ordering: .relaxed) }

    /// Ends all waits for readers that stall: text that cannot be written at once is lost from now on.
    static func waitNoLonger() {
        if !isImpatient.exchange(true, ordering: .relaxed) { close(patience.writer) }
    }

    private static let isImpatient = Atomic(false)

    /// A pipe that hangs up when there is no waiting any more.
    private static let patience: (reader: Int32, writer: Int32) = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return (-1, -1) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }()

    /// Waits until write() does not block; false after ``waitNoLonger()``.
    private func waitUntilWritable() -> Bool {
        while true {
            var requests = [
                pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: Self.patience.reader, events: Int16(POLLIN), revents: 0),
            ]
            // If poll() fails, write() tells why.
            guard poll(&requests, nfds_t(requests.count), -1) >= 0 else {
                if errno == EINTR { continue }
                return true
            }
            if requests[0].revents != 0 { return true }
            if requests[1].revents != 0 { return false }
        }
    }
}
